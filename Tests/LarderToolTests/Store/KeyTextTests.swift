import LarderStore
import Testing

@testable import LarderTool

struct KeyTextTests {
    @Test(
        arguments: [
            ("string", "a b"), ("string", "größe"), ("bytes", "plain"), ("int64", "-5"), ("int8", "-128"),
            ("uint16", "65535"),
            ("int32", "0"), ("uint64", "18446744073709551615"), ("uuid", "6F9619FF-8B86-D011-B42D-00CF4FC964FF"),
        ]
    )
    func `a key comes back as the text it was given as`(kind: String, text: String) throws {
        let bytes = try KeyText.bytes(text, kind: kind, isHex: false)
        #expect(KeyText.text(bytes, kind: kind, isHex: false) == text)
        let hex = KeyText.text(bytes, kind: kind, isHex: true)
        #expect(try KeyText.bytes(hex, kind: kind, isHex: true) == bytes)
    }

    @Test func `the bytes are those a service's keys have`() throws {
        #expect(try KeyText.bytes("-5", kind: "int64", isHex: false) == (-5).storeKeyBytes)
        #expect(try KeyText.bytes("e\u{301}", kind: "string", isHex: false) == "é".storeKeyBytes)
    }

    @Test(
        arguments: [
            ("int64", "x"), ("int8", "128"), ("uint8", "-1"), ("uuid", "6F96"), ("my.kind", "text"), ("int64", ""),
        ]
    )
    func `what is no key of the kind is an error that names it`(kind: String, text: String) throws {
        let error = toolError { _ = try KeyText.bytes(text, kind: kind, isHex: false) }
        #expect(error?.status == .failure)
        #expect(error?.message.contains(kind == "uuid" ? "UUID" : kind) == true)
    }

    @Test func `odd hexadecimal is a usage error`() {
        for text in ["abc", "xy", "0x41"] {
            #expect(toolError { _ = try KeyText.hex(text, name: "the key") }?.status == .usage)
        }
    }

    @Test func `keys that are no text are shown in hexadecimal`() {
        #expect(KeyText.text([0xFF, 0], kind: "string", isHex: false) == "0xff00")
        #expect(KeyText.text([1, 2, 3], kind: "int64", isHex: false) == "0x010203")
        #expect(KeyText.text([1], kind: "my.kind", isHex: false) == "0x01")
        #expect(KeyText.text(Array("a\u{1B}[2J".utf8), kind: "string", isHex: false) == "a\\u{1B}[2J")
    }
}

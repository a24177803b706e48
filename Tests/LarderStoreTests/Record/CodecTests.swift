import FoundationEssentials
import LarderStore
import TestSupport
import Testing

struct CodecTests {
    private struct Person: Codable, Equatable {
        var name: String
        var age: Int?
    }

    @Test("every codec gives back what it was given")
    func roundTrips() throws {
        #expect(try ValueCodec.bytes.decode(ValueCodec.bytes.encode([0, 255])) == [0, 255])
        #expect(try ValueCodec.data.decode(ValueCodec.data.encode(Data([1]))) == Data([1]))
        #expect(try ValueCodec.string.decode(ValueCodec.string.encode("é\0x")) == "é\0x")
        for number in [Int.min, -1, 0, 1, .max] {
            let codec = ValueCodec<Int>.integer
            #expect(try codec.decode(codec.encode(number)) == number)
        }
        let small = ValueCodec<Int8>.integer
        #expect(try small.decode(small.encode(-7)) == -7)
        let person = Person(name: "Ada", age: nil)
        #expect(try ValueCodec.json.decode(ValueCodec.json.encode(person)) == person)
        #expect(try ValueCodec.propertyList.decode(ValueCodec.propertyList.encode(person)) == person)
        // A bare number is no property list by itself.
        let bare = ValueCodec<Int>.propertyList
        #expect(try bare.decode(bare.encode(5)) == 5)
    }

    @Test("B22 bytes that are no value are an error, not a crash")
    func malformed() {
        #expect(throws: (any Error).self) { try ValueCodec.string.decode([0xFF]) }
        #expect(throws: (any Error).self) { try ValueCodec<Int>.integer.decode([1, 2]) }
        #expect(throws: (any Error).self) { try ValueCodec<Person>.json.decode([1]) }
        #expect(throws: (any Error).self) { try ValueCodec<Person>.propertyList.decode([]) }
    }

    @Test("A76 a record of another codec is a miss, counted and removed")
    func otherCodec() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let text = try store.table("t", keyedBy: String.self, codec: .string)
        try text.setValue("12345678", forKey: "k")
        try store.flush()
        let numbers = try store.table("t", keyedBy: String.self, codec: ValueCodec<Int>.integer)
        #expect(numbers.value(forKey: "k") == nil)
        #expect(store.statistics.damaged == 1)
        try store.flush()
        #expect(text.value(forKey: "k") == nil)
        #expect(text.count == 0)
        try store.close()
    }

    @Test("A5 encoders and decoders may use the store they serve")
    func reentrantCodec() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let plain = try store.table("plain", keyedBy: String.self, codec: .string)
        try plain.setValue("helper", forKey: "other")
        try store.flush()
        let codec = ValueCodec<String>.custom(
            id: 7,
            encode: { value in
                try plain.setValue("seen \(value)", forKey: "encoded")
                try store.flush()
                return Array(value.utf8)
            },
            decode: { bytes in String(decoding: bytes, as: UTF8.self) + (plain.value(forKey: "other") ?? "-") }
        )
        let table = try store.table("custom", keyedBy: String.self, codec: codec)
        try table.setValue("v", forKey: "k")
        try store.flush()
        #expect(table.value(forKey: "k") == "vhelper")
        #expect(plain.value(forKey: "encoded") == "seen v")
        try store.close()
    }

    @Test("A19 V14 a value that cannot be encoded is a typed error, and the older value is gone")
    func encodingFails() throws {
        struct Refusal: Error {}
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let codec = ValueCodec<String>.custom(
            id: 1,
            encode: { value in
                guard value != "bad" else { throw Refusal() }
                return Array(value.utf8)
            },
            decode: { String(decoding: $0, as: UTF8.self) }
        )
        let table = try store.table("t", keyedBy: String.self, codec: codec)
        try table.setValue("good", forKey: "k")
        try store.flush()
        let error = #expect(throws: StoreError.self) { try table.setValue("bad", forKey: "k") }
        #expect(error?.code == .encodingFailed)
        #expect(error?.cause is Refusal)
        #expect(table.value(forKey: "k") == nil)
        try store.flush()
        #expect(table.value(forKey: "k") == nil)
        try store.close()
    }
}

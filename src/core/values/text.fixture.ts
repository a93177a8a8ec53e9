import fc from 'fast-check'

/** Any character of Unicode, plain and awkward ones often. */
const anyCharacter = fc.oneof(
  fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCodePoint(code)),
  fc.constantFrom(...'\u0000\t\n"\\/\u007f\u0080éß€\u2028\ufeff\uffff😀'),
  fc
    .integer({ min: 0, max: 0x10ffff })
    .map((code) => (code >= 0xd800 && code <= 0xdfff ? 'x' : String.fromCodePoint(code))),
)

export function anyText(maxLength = 20): fc.Arbitrary<string> {
  return fc.string({ unit: anyCharacter, maxLength })
}

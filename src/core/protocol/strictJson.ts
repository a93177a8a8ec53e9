import { keepOptimised } from '../values/keepOptimised.ts'
import { limits } from '../values/limits.ts'
import { err, ok } from '../values/result.ts'
import type { Result } from '../values/result.ts'
import { utf8Decode } from '../values/utf8.ts'
import type { Json } from './action.ts'

/**
 * Reads one JSON value so that it can only mean one thing. Beyond the grammar it refuses what two
 * readers could take differently, or what could not be hashed as it was sent: a key given twice at
 * any depth, a key whose order an object would lose, a number that is not exact as written, text
 * that is not Unicode, nesting or a number of values beyond the bound. It never throws.
 */
export function parseJson(body: Uint8Array | string): Result<Json> {
  const text = typeof body === 'string' ? body : utf8Decode(body)
  if (text === null) return err('the body must be UTF-8 text')
  try {
    return ok(new Reader(text).read())
  } catch (error) {
    if (error instanceof Refusal) return err(error.message)
    throw error
  }
}

/** Thrown inside this file only: unwinding is the cheapest way out of a nested read. */
class Refusal extends Error {}

const space = 0x20
const quote = 0x22
const comma = 0x2c
const minus = 0x2d
const dot = 0x2e
const zero = 0x30
const nine = 0x39
const colon = 0x3a
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const loneSurrogate = /\p{Surrogate}/u
const escapes: { readonly [letter: string]: string } = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

/** What is no longer than this, V8 copies in any case. */
const copiedMax = 12

class Reader {
  private readonly text: string
  private at = 0
  private depth = 0
  private values = 0

  constructor(text: string) {
    this.text = text
  }

  read(): Json {
    const value = this.value()
    this.skipSpace()
    if (this.at < this.text.length) this.refuse('nothing may follow the JSON value')
    return value
  }

  private value(): Json {
    this.values += 1
    if (this.values > limits.jsonValuesMax) {
      this.refuse(`JSON may hold at most ${limits.jsonValuesMax} values`)
    }
    this.skipSpace()
    const code = this.text.charCodeAt(this.at)
    if (code === quote) return this.string()
    if (code === openBrace || code === openBracket) return this.nested(code)
    if (code === minus || (code >= zero && code <= nine)) return this.number()
    if (this.word('true')) return true
    if (this.word('false')) return false
    if (this.word('null')) return null
    return this.refuse('a JSON value is expected')
  }

  private nested(opened: number): Json {
    this.depth += 1
    if (this.depth > limits.jsonDepthMax) {
      this.refuse(`JSON may be nested at most ${limits.jsonDepthMax} deep`)
    }
    this.at += 1
    const value = opened === openBrace ? this.object() : this.array()
    this.depth -= 1
    return value
  }

  private object(): Json {
    const value: { [key: string]: Json } = {}
    if (this.takes(closeBrace)) return value
    for (;;) {
      this.skipSpace()
      if (this.text.charCodeAt(this.at) !== quote) this.refuse('a key in quotes is expected')
      const key = this.string()
      this.checkKey(value, key)
      if (!this.takes(colon)) this.refuse(`a colon is expected after key "${shown(key)}"`)
      value[key] = this.value()
      if (this.takes(closeBrace)) return value
      if (!this.takes(comma)) this.refuse('a comma or a closing brace is expected')
    }
  }

  private checkKey(value: object, key: string): void {
    if (Object.hasOwn(value, key)) this.refuse(`key "${shown(key)}" is given twice`)
    const first = key.charCodeAt(0)
    // An object lists keys that look like numbers first, so their place among the others is lost.
    if (first >= zero && first <= nine && /^(?:0|[1-9][0-9]*)$/.test(key)) {
      this.refuse(`key "${shown(key)}" must not be a number`)
    }
    if (key === '__proto__') this.refuse('key "__proto__" is not allowed')
  }

  private array(): Json {
    const value: Json[] = []
    if (this.takes(closeBracket)) return value
    for (;;) {
      value.push(this.value())
      if (this.takes(closeBracket)) return value
      if (!this.takes(comma)) this.refuse('a comma or a closing bracket is expected')
    }
  }

  private string(): string {
    const { text } = this
    const start = this.at + 1
    for (let at = start; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === quote) {
        this.at = at + 1
        return this.cut(start, at)
      }
      if (code === backslash) return this.escapedString(start, at)
      if (code < space) this.refuse('a control character must be escaped', at)
    }
    return this.refuse('a string is not closed')
  }

  /**
   * A longer piece that is sliced off is a view, and one id that is remembered would keep the whole
   * body in memory: reading it once more makes a text of its own.
   */
  private cut(start: number, end: number): string {
    const { text } = this
    if (end - start <= copiedMax) return text.slice(start, end)
    return JSON.parse(text.slice(start - 1, end + 1)) as string
  }

  private escapedString(start: number, firstEscape: number): string {
    const { text } = this
    let value = text.slice(start, firstEscape)
    let at = firstEscape
    while (at < text.length) {
      const code = text.charCodeAt(at)
      if (code === quote) {
        // Escapes can spell half a character, which has no UTF-8 form to hash.
        if (loneSurrogate.test(value)) this.refuse('a string holds half a character')
        this.at = at + 1
        return value
      }
      if (code === backslash) {
        const letter = text.charAt(at + 1)
        if (letter === 'u') {
          value += this.unicodeEscape(at)
          at += 6
        } else {
          value += escapes[letter] ?? this.refuse(`"\\${letter}" is not an escape`, at)
          at += 2
        }
      } else {
        if (code < space) this.refuse('a control character must be escaped', at)
        value += text.charAt(at)
        at += 1
      }
    }
    return this.refuse('a string is not closed')
  }

  private unicodeEscape(at: number): string {
    const hex = this.text.slice(at + 2, at + 6)
    if (!/^[0-9a-fA-F]{4}$/.test(hex)) this.refuse('"\\u" needs four hex digits', at)
    return String.fromCharCode(parseInt(hex, 16))
  }

  private number(): number {
    const { text } = this
    const start = this.at
    let at = text.charCodeAt(start) === minus ? start + 1 : start
    let value = 0
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code < zero || code > nine) break
      value = value * 10 + (code - zero)
    }
    const digits = at - start
    const next = text.charCodeAt(at)
    // The common case, a short plain whole number, needs no second look.
    if (digits < 16 && text.charCodeAt(start) !== minus && next !== dot && (next | 32) !== 0x65) {
      if (digits === 1 || text.charCodeAt(start) !== zero) {
        this.at = at
        return value
      }
    }
    return this.exactNumber(start)
  }

  /** Any other number must read back, as JavaScript writes it, to the very text that was sent. */
  private exactNumber(start: number): number {
    number.lastIndex = start
    const written = number.exec(this.text)?.[0]
    if (written === undefined) return this.refuse('a number is not well formed')
    const value = +written
    const isExact = Number.isInteger(value) ? Number.isSafeInteger(value) : true
    if (!isExact || String(value) !== written || /[eE]/.test(written)) {
      return this.refuse(`number ${shown(written)} is not exact in its shortest plain form`)
    }
    this.at = start + written.length
    return value
  }

  private word(word: string): boolean {
    if (!this.text.startsWith(word, this.at)) return false
    this.at += word.length
    return true
  }

  private takes(code: number): boolean {
    this.skipSpace()
    if (this.text.charCodeAt(this.at) !== code) return false
    this.at += 1
    return true
  }

  private skipSpace(): void {
    const { text } = this
    for (;;) {
      const code = text.charCodeAt(this.at)
      if (code !== space && code !== 0x0a && code !== 0x0d && code !== 0x09) return
      this.at += 1
    }
  }

  private refuse(problem: string, at = this.at): never {
    throw new Refusal(`${problem} (at character ${at})`)
  }
}

/** What a message quotes of the sender's text is kept short. */
function shown(text: string): string {
  return text.length <= 40 ? text : `${text.slice(0, 40)}...`
}

keepOptimised(new Reader(''))

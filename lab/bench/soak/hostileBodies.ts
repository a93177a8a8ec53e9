import { randomBytes } from 'node:crypto'
import type { Json, JsonObject } from '../../../src/core/protocol/action.ts'
import { limits } from '../../../src/core/values/limits.ts'
import type { Bot } from '../bot.ts'
import { allowedOrder } from '../orders.ts'

/** What is left of a mebibyte for an action's padding, beside its envelope and its other fields. */
const paddingChars = limits.bodyBytesMax - 2_048
/** Of all JSON, empty lists take the most memory for their length; a request may hold so many. */
const emptyLists = limits.jsonValuesMax - 100

/** Bodies that Guard has to refuse, made one after the other; none of them is twice the same. */
export class HostileBodies {
  readonly #client: Bot
  readonly #strangers: JsonObject
  readonly #expired: string
  #count = 0

  /** `client` is one that Guard knows: its key is in the wrong hands. `stranger` is one it does not. */
  constructor(client: Bot, stranger: Bot) {
    this.#client = client
    this.#strangers = JSON.parse(stranger.sign(allowedOrder().action)) as JsonObject
    this.#expired = client.sign(allowedOrder().action, 1)
  }

  /** With every other nonce the signature is that of another stranger. */
  stranger(): string {
    return JSON.stringify({ ...this.#strangers, nonce: Date.now() * 1_000 + this.#next(1_000) })
  }

  badSignature(): string {
    return JSON.stringify({ ...this.#strangers, signature: pick(badSignatures, this.#next()) })
  }

  malformed(): string {
    const whole = this.stranger()
    const n = this.#next()
    return pick(malformers, n)(whole, n)
  }

  /** The same signed body again and again, as whoever has seen it can send it. */
  replay(): string {
    return this.#expired
  }

  /** Nearly a mebibyte, signed by a client; half of them with as many values as a body may hold. */
  large(): string {
    const n = this.#next()
    const padding: Json =
      n % 2 === 0
        ? 'x'.repeat(paddingChars)
        : [
            'x'.repeat(paddingChars - 3 * emptyLists),
            ...Array.from({ length: emptyLists }, () => []),
          ]
    return this.#client.sign({ type: 'noop', n, padding })
  }

  nested(): string {
    const depth = pick(depths, this.#next())
    return `{"action":${'['.repeat(depth)}${']'.repeat(depth)},"nonce":${this.#next()}}`
  }

  /** A client may always cancel: this one goes to the venue, which knows no such order. */
  unknownCancel(): string {
    const cloid = `0x${randomBytes(16).toString('hex')}`
    return this.#client.sign({ type: 'cancelByCloid', cancels: [{ asset: 0, cloid }] })
  }

  /** A read that nobody has asked for before. */
  newRead(): string {
    const n = this.#next()
    const padding = 'x'.repeat(n % 512)
    return JSON.stringify({ type: 'l2Book', coin: 'BTC', [`never${n}${padding}`]: n })
  }

  #next(below = Number.MAX_SAFE_INTEGER): number {
    this.#count += 1
    return this.#count % below
  }
}

const full = `0x${'f'.repeat(64)}`
const one = `0x${'0'.repeat(63)}1`
const badSignatures: readonly Json[] = [
  { r: '0x0', s: '0x0', v: 27 },
  { r: full, s: full, v: 28 },
  { r: one, s: one, v: 99 },
  { r: one, s: full, v: 27 },
  { r: '', s: '', v: 27 },
  { r: 1, s: 2, v: '27' },
  [],
  null,
]

/** Each makes something that is no request out of one that would be. */
const malformers: readonly ((whole: string, n: number) => string)[] = [
  (whole, n) => whole.slice(0, n % whole.length),
  (whole) => `${whole}}`,
  (whole) => whole.replace('{', '{"nonce":1,'),
  (whole) => whole.replaceAll('"', "'"),
  (whole) => whole.replace('"nonce":', '"nonce":-0.'),
  (whole) => whole.replace('"nonce"', '"\\u0000nonce"'),
  (whole, n) => `{"unknown${n}":${whole}}`,
  () => '[]',
  () => 'null',
  (_, n) => `\u202e${n}\u0007`,
]

const depths = [33, 200, 5_000, 19_000, 21_000]

function pick<T>(list: readonly T[], n: number): T {
  const found = list[n % list.length]
  if (found === undefined) throw new RangeError('an empty list')
  return found
}

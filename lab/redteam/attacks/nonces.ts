import type { Json, JsonObject } from '../../../src/core/protocol/action.ts'
import { isObject } from '../../../src/core/protocol/fields.ts'
import { breach } from '../breach.ts'
import type { Attack } from '../attack.ts'
import type { Attacker } from '../attacker.ts'
import { fieldsOf, vetoed } from '../held.ts'
import { strangerKey } from '../signing.ts'
import type { Signed } from '../signing.ts'
import { harmless } from './authentication.ts'

/** One request is judged once, and only within its time, however it is said again. */

function attack(name: string, tries: string, run: (attacker: Attacker) => Promise<string>): Attack {
  return { group: 'nonces', name, tries, venue: 'nothing', run }
}

/** A request that is refused for what it asks uses its nonce up like any other. */
const refused: Json = { type: 'setReferrer' }

/** The first is judged, the second one is a replay. */
function again(
  name: string,
  tries: string,
  second: (request: Signed, attacker: Attacker) => Promise<Json>,
): Attack {
  return attack(name, tries, async (attacker) => {
    const request = attacker.sign(refused)
    vetoed((await attacker.exchange(request)).json, 'unsupported_action')
    return vetoed(await second(request, attacker), 'auth_replay')
  })
}

const sent = async (attacker: Attacker, request: unknown): Promise<Json> =>
  (await attacker.exchange(JSON.stringify(request))).json

/** As a client posts it that sorts its keys after signing. */
function sorted(json: Json): Json {
  if (Array.isArray(json)) return (json as readonly Json[]).map(sorted)
  if (!isObject(json)) return json
  const fields = Object.entries(json).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(fields.map(([name, value]) => [name, sorted(value)]))
}

const replays: readonly Attack[] = [
  again('at-the-kill-switch', 'a used nonce in a signed kill', async ({ nonce }, attacker) => {
    const kill = attacker.sign({ type: 'guardKill', reason: 'red team' }, { nonce })
    const { json } = await attacker.kill(kill)
    if (await attacker.isLatched()) breach('the kill switch latched')
    return json
  }),
  again('with-an-expiry', 'a used nonce, signed with an expiry', (request, attacker) =>
    sent(
      attacker,
      attacker.sign(harmless(attacker), {
        nonce: request.nonce,
        expiresAfter: request.nonce + 20_000,
      }),
    ),
  ),
  again('with-a-vault', 'a used nonce, signed for a vault', (request, attacker) =>
    sent(
      attacker,
      attacker.sign(harmless(attacker), { nonce: request.nonce, vaultAddress: attacker.account }),
    ),
  ),
  again(
    'keys-sorted',
    'a used nonce with sorted keys, as the Rust SDK posts them',
    (request, attacker) =>
      sent(attacker, {
        ...attacker.sign(harmless(attacker), { nonce: request.nonce }),
        action: sorted(harmless(attacker)),
      }),
  ),
  again('over-a-socket', 'a used nonce with another action over a socket', (request, attacker) =>
    attacker.overSocket(attacker.sign(harmless(attacker), { nonce: request.nonce })),
  ),
  again(
    'after-a-stranger',
    'a used nonce after a stranger had used the same one',
    async (request, attacker) => {
      const stranger = attacker.sign(harmless(attacker), {
        nonce: request.nonce,
        key: strangerKey(),
      })
      vetoed(await sent(attacker, stranger), 'auth_unknown_signer')
      return await sent(attacker, request)
    },
  ),
]

/** A number that is no nonce, or no nonce of now. */
function odd(
  name: string,
  tries: string,
  make: (now: number) => Json,
  ...codes: readonly string[]
): Attack {
  return attack(name, tries, async (attacker) => {
    const nonce = make(Date.now())
    const signed = attacker.sign(
      harmless(attacker),
      typeof nonce === 'number' && Number.isSafeInteger(nonce) && nonce >= 0 ? { nonce } : {},
    )
    return vetoed(await sent(attacker, { ...signed, nonce }), ...codes)
  })
}

const times: readonly Attack[] = [
  odd('in-seconds', 'a nonce in seconds', (now) => Math.floor(now / 1_000), 'auth_nonce_too_old'),
  odd('in-microseconds', 'a nonce in microseconds', (now) => now * 1_000, 'auth_nonce_too_new'),
  odd('a-minute-ahead', 'a nonce a minute ahead', (now) => now + 60_000, 'auth_nonce_too_new'),
  odd('a-day-old', 'a nonce of yesterday', (now) => now - 86_400_000, 'auth_nonce_too_old'),
  odd('below-zero', 'a nonce below zero', (now) => -now, 'malformed'),
  odd(
    'beyond-exact',
    'a nonce beyond what is exact',
    () => 9_007_199_254_740_993,
    'malformed',
    'auth_nonce_too_new',
  ),
  odd('true', 'true as a nonce', () => true, 'malformed'),
  odd('list', 'a nonce in a list', (now) => [now], 'malformed'),
  odd('object', 'a nonce as an object', (now) => ({ $numberLong: String(now) }), 'malformed'),
  odd('null', 'no nonce', () => null, 'malformed'),
]

const signedOver = (attacker: Attacker, action: Json, posted: Json): JsonObject => ({
  ...(attacker.sign(action) as unknown as JsonObject),
  action: posted,
})

/** The venue's own key order is a second way to sign: it must not let another action through. */
const orders: readonly Attack[] = [
  attack(
    'sorted-and-larger',
    'keys sorted after signing, and the size ten times larger',
    async (attacker) => {
      const action = harmless(attacker)
      const larger = JSON.parse(
        JSON.stringify(sorted(action)).replace(/"s":"([^"]+)"/, '"s":"1$1"'),
      ) as Json
      return vetoed(
        await sent(attacker, signedOver(attacker, action, larger)),
        'auth_unknown_signer',
      )
    },
  ),
  attack(
    'sorted-and-turned',
    'keys sorted after signing, and the side turned',
    async (attacker) => {
      const action = harmless(attacker)
      const turned = JSON.parse(
        JSON.stringify(sorted(action)).replace('"b":true', '"b":false'),
      ) as Json
      return vetoed(
        await sent(attacker, signedOver(attacker, action, turned)),
        'auth_unknown_signer',
      )
    },
  ),
  attack(
    'sorted-with-a-key-more',
    'keys sorted after signing, and one more that was not signed',
    async (attacker) => {
      const action = harmless(attacker)
      const more = { ...(sorted(action) as JsonObject), zzz: 1 }
      return vetoed(
        await sent(attacker, signedOver(attacker, action, more)),
        'auth_unknown_signer',
        'malformed',
      )
    },
  ),
  attack('one-key-missing', 'an action without a key that was signed', async (attacker) => {
    const action = harmless(attacker) as JsonObject
    const { grouping: _, ...fewer } = action
    return vetoed(
      await sent(attacker, signedOver(attacker, action, fewer)),
      'auth_unknown_signer',
      'malformed',
    )
  }),
  attack(
    'race-of-both-ways',
    'one request over HTTP and a socket at once: one may be judged',
    async (attacker) => {
      const request = attacker.sign(refused)
      const answers = await Promise.all([
        attacker.exchange(request).then(({ json }) => json),
        attacker.overSocket(request),
        attacker.exchange(request).then(({ json }) => json),
        attacker.overSocket(request),
      ])
      const codes = answers.map((json) => String(fieldsOf(json)['code']))
      const judged = codes.filter((code) => code !== 'auth_replay')
      return judged.length === 1 && judged[0] === 'unsupported_action'
        ? 'one judged, three replays'
        : breach(codes.join(', '))
    },
  ),
]

export const nonceAttacks: readonly Attack[] = [...replays, ...times, ...orders]

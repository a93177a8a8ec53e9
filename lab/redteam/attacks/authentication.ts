import type { Json } from '../../../src/core/protocol/action.ts'
import { utf8Encode } from '../../../src/core/values/utf8.ts'
import { breach } from '../breach.ts'
import type { Attack } from '../attack.ts'
import type { Attacker } from '../attacker.ts'
import { fromFlat } from '../fromFlat.ts'
import { priceAt } from '../ground.ts'
import { fieldsOf, vetoed } from '../held.ts'
import { gtc, order, orders } from '../orders.ts'
import { held, sizeFor } from '../positions.ts'
import { malleated, strangerKey } from '../signing.ts'
import type { Signed } from '../signing.ts'

/** Far from the price: if it gets through it rests and hurts nobody. */
export function harmless(attacker: Attacker): Json {
  const field = attacker.ground()
  const size = sizeFor(attacker, '0.05')
  return orders([order(field.asset, true, priceAt(field, '-3'), size, { t: gtc })])
}

function tampered(
  name: string,
  tries: string,
  change: (request: Signed, attacker: Attacker) => Json,
  ...codes: readonly string[]
): Attack {
  return {
    group: 'authentication',
    name,
    tries,
    venue: 'nothing',
    run: async (attacker) => {
      const request = change(attacker.sign(harmless(attacker)), attacker)
      return vetoed((await attacker.exchange(JSON.stringify(request))).json, ...codes)
    },
  }
}

const unknown = ['auth_unknown_signer', 'auth_bad_signature'] as const

const forgeries: readonly Attack[] = [
  tampered(
    'unsigned',
    'a request without a signature',
    ({ action, nonce }) => ({ action, nonce }),
    'malformed',
  ),
  tampered(
    'null-signature',
    'a signature of null',
    (request) => ({ ...request, signature: null }),
    'malformed',
  ),
  tampered(
    'zero-signature',
    'r and s of zero',
    (request) => ({ ...request, signature: { r: '0x0', s: '0x0', v: 27 } }),
    ...unknown,
  ),
  tampered(
    'signature-beyond-the-curve',
    'r and s beyond the order of the curve',
    (request) => ({
      ...request,
      signature: { r: `0x${'f'.repeat(64)}`, s: `0x${'f'.repeat(64)}`, v: 27 },
    }),
    ...unknown,
  ),
  tampered(
    'signature-v',
    'a recovery id of 0, as some libraries write it',
    (request) => ({ ...request, signature: { ...request.signature, v: request.signature.v - 27 } }),
    ...unknown,
  ),
  tampered(
    'signature-v-flipped',
    'the other recovery id',
    (request) => ({
      ...request,
      signature: { ...request.signature, v: request.signature.v === 27 ? 28 : 27 },
    }),
    ...unknown,
  ),
  tampered(
    'signature-with-extras',
    'a signature with a field more',
    (request) => ({ ...request, signature: { ...request.signature, yParity: 0 } }),
    'malformed',
  ),
  tampered(
    'signature-as-text',
    'a signature as one long text',
    (request) => ({
      ...request,
      signature: `${request.signature.r}${request.signature.s.slice(2)}1b`,
    }),
    'malformed',
  ),
  tampered(
    'random-signature',
    'random numbers as a signature',
    (request) => ({
      ...request,
      signature: { r: `0x${'5a'.repeat(32)}`, s: `0x${'3c'.repeat(32)}`, v: 28 },
    }),
    ...unknown,
  ),
  tampered(
    'stranger',
    'a key that is no client',
    ({ action }, attacker) => attacker.sign(action, { key: strangerKey() }) as unknown as Json,
    ...unknown,
  ),
  tampered(
    'swapped-signature',
    'the signature of another request',
    (request, attacker) => ({
      ...request,
      signature: attacker.sign({ type: 'scheduleCancel' }).signature,
    }),
    ...unknown,
  ),
  tampered(
    'tampered-size',
    'a size made larger after signing',
    (request) => JSON.parse(JSON.stringify(request).replace(/"s":"[^"]*"/, '"s":"1000"')) as Json,
    ...unknown,
  ),
  tampered(
    'tampered-side',
    'a side turned after signing',
    (request) => JSON.parse(JSON.stringify(request).replace('"b":true', '"b":false')) as Json,
    ...unknown,
  ),
  tampered(
    'tampered-nonce',
    'a fresh nonce put on an old signature',
    (request) => ({ ...request, nonce: request.nonce + 1 }),
    ...unknown,
  ),
  tampered(
    'added-expiry',
    'an expiry added after signing',
    (request) => ({ ...request, expiresAfter: request.nonce + 20_000 }),
    ...unknown,
  ),
  tampered(
    'removed-expiry',
    'an expiry taken off after signing',
    ({ action }, attacker) => {
      const { expiresAfter, ...rest } = attacker.sign(action, { expiresAfter: Date.now() - 1_000 })
      return expiresAfter === undefined ? null : (rest as unknown as Json)
    },
    ...unknown,
  ),
  tampered(
    'added-vault',
    'a vault put on after signing',
    (request, attacker) => ({ ...request, vaultAddress: attacker.account }),
    ...unknown,
  ),
  tampered(
    'reordered-keys',
    'the fields in another order than they were signed in, and one of the orders twice',
    (request) => {
      const { type, orders: list, grouping } = fieldsOf(request.action)
      const signed = Array.isArray(list) ? (list as readonly Json[]) : []
      return {
        ...request,
        action: { grouping: grouping ?? 'na', orders: [...signed, ...signed], type: type ?? '' },
      }
    },
    ...unknown,
    'malformed',
  ),
  tampered(
    'personal-signature',
    'a wallet signature over the text of the action',
    ({ action, nonce }, attacker) => {
      const { keccak256 } = attacker.pen.crypto
      const text = JSON.stringify(action)
      const digest = keccak256(utf8Encode(`\u0019Ethereum Signed Message:\n${text.length}${text}`))
      return { action, nonce, signature: { ...attacker.pen.signDigest(digest) } }
    },
    ...unknown,
  ),
  tampered(
    'expired',
    'a signed expiry that has passed',
    ({ action }, attacker) =>
      attacker.sign(action, { expiresAfter: Date.now() - 1_000 }) as unknown as Json,
    'auth_expired',
  ),
  tampered(
    'vault',
    'a signed request for a vault',
    ({ action }, attacker) =>
      attacker.sign(action, { vaultAddress: attacker.account }) as unknown as Json,
    'vault',
  ),
  tampered(
    'old-nonce',
    'a signed nonce of a minute ago',
    ({ action }, attacker) =>
      attacker.sign(action, { nonce: Date.now() - 60_000 }) as unknown as Json,
    'auth_nonce_too_old',
  ),
  tampered(
    'future-nonce',
    'a signed nonce of a minute ahead',
    ({ action }, attacker) =>
      attacker.sign(action, { nonce: Date.now() + 60_000 }) as unknown as Json,
    'auth_nonce_too_new',
  ),
  tampered(
    'nonce-zero',
    'a signed nonce of zero',
    ({ action }, attacker) => attacker.sign(action, { nonce: 0 }) as unknown as Json,
    'auth_nonce_too_old',
  ),
  tampered(
    'nonce-as-text',
    'the nonce as a text',
    (request) => ({ ...request, nonce: String(request.nonce) }),
    'malformed',
  ),
  tampered(
    'nonce-with-fraction',
    'the nonce with half a millisecond',
    (request) => ({ ...request, nonce: request.nonce + 0.5 }),
    'malformed',
  ),
]

function replay(
  name: string,
  tries: string,
  again: (request: Signed, attacker: Attacker) => Promise<readonly Json[]>,
): Attack {
  return fromFlat('authentication', name, tries, async (attacker) => {
    const request = attacker.sign(harmless(attacker))
    const first = fieldsOf((await attacker.exchange(request)).json)
    const codes = (await again(request, attacker)).map((each) => vetoed(each, 'auth_replay'))
    const resting = (await attacker.venueOrders()).filter((each) => each['isTrigger'] !== true)
    if (resting.length > 1) breach(`${resting.length} orders rest for one request`)
    return `first ${String(first['code'])}, then ${[...new Set(codes)].join(', ')}`
  })
}

const replays: readonly Attack[] = [
  replay('replay', 'the same request again', async (request, attacker) => [
    (await attacker.exchange(request)).json,
  ]),
  replay(
    'replay-over-socket',
    'the same request again over a socket',
    async (request, attacker) => [await attacker.overSocket(request)],
  ),
  replay(
    'replay-malleated',
    'the same request with the other valid signature',
    async (request, attacker) => [
      (await attacker.exchange({ ...request, signature: malleated(request.signature) })).json,
    ],
  ),
  replay(
    'replay-respelled',
    'the same signature in capitals and without leading zeros',
    async (request, attacker) => {
      const { r, s, v } = request.signature
      const spelled = {
        r: `0x${r.slice(2).replace(/^0+/, '').toUpperCase()}`,
        s: `0x${s.slice(2).toUpperCase()}`,
        v,
      }
      return [(await attacker.exchange({ ...request, signature: spelled })).json]
    },
  ),
  replay(
    'replay-with-spaces',
    'the same request with white space and other key order around it',
    async ({ action, nonce, signature }, attacker) => [
      (
        await attacker.exchange(
          ` \n{ "signature": ${JSON.stringify(signature)},\t"nonce": ${nonce}, "action": ${JSON.stringify(action)}, "vaultAddress": null } `,
        )
      ).json,
    ],
  ),
  replay(
    'replay-for-the-other-network',
    'another action signed for the other network with a used nonce',
    async (request, attacker) => [
      (await attacker.send(harmless(attacker), { nonce: request.nonce, network: 'mainnet' })).json,
    ],
  ),
  replay(
    'replay-swarm',
    'the same request fifty times at once, half over sockets',
    async (request, attacker) =>
      await Promise.all(
        Array.from({ length: 50 }, async (_, at) =>
          at % 10 === 0
            ? await attacker.overSocket(request)
            : (await attacker.exchange(request)).json,
        ),
      ),
  ),
]

const swarm = fromFlat(
  'authentication',
  'one-nonce-race',
  'twenty different orders with one nonce at once: one may pass at most',
  async (attacker) => {
    const nonce = attacker.pen.nonce()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => attacker.send(harmless(attacker), { nonce })),
    )
    const passed = answers.filter(({ json }) => fieldsOf(json)['verdict'] !== 'veto')
    return passed.length > 1
      ? breach(`${passed.length} of 20 passed`)
      : `${passed.length} of 20 passed`
  },
)

const reordered: Attack = {
  group: 'authentication',
  name: 'reordered-nonces',
  tries: 'nonces in falling order, then each of them again',
  venue: 'nothing',
  run: async (attacker) => {
    const base = attacker.pen.nonce() - 100
    const requests = [5, 4, 3, 2, 1].map((more) =>
      attacker.sign({ type: 'setReferrer' }, { nonce: base + more }),
    )
    for (const each of requests) vetoed((await attacker.exchange(each)).json, 'unsupported_action')
    const codes = new Set<string>()
    for (const each of requests)
      codes.add(vetoed((await attacker.exchange(each)).json, 'auth_replay'))
    return [...codes].join(', ')
  },
}

const killElsewhere: Attack = {
  group: 'authentication',
  name: 'order-as-kill',
  tries: 'a signed order at the kill switch, and a signed kill at the exchange',
  venue: 'nothing',
  run: async (attacker) => {
    const atKill = vetoed(
      (await attacker.kill(attacker.sign(harmless(attacker)))).json,
      'malformed',
    )
    const kill = attacker.sign({ type: 'guardKill', reason: 'red team' })
    const atExchange = vetoed((await attacker.exchange(kill)).json, 'unsupported_action')
    const replayed = vetoed((await attacker.kill(kill)).json, 'auth_replay')
    if (await attacker.isLatched()) breach('the kill switch latched')
    return [atKill, atExchange, replayed].join(', ')
  },
}

const unsent: Attack = {
  group: 'authentication',
  name: 'refused-nonce-again',
  tries: 'a request that was refused, again with its nonce and a harmless action',
  venue: 'nothing',
  run: async (attacker) => {
    const nonce = attacker.pen.nonce()
    vetoed((await attacker.send({ type: 'claimRewards' }, { nonce })).json, 'funds_or_permissions')
    const how = vetoed((await attacker.send(harmless(attacker), { nonce })).json, 'auth_replay')
    return (await held(attacker)).length > 0 ? breach('a position was opened') : how
  },
}

export const authenticationAttacks: readonly Attack[] = [
  ...forgeries,
  ...replays,
  swarm,
  reordered,
  killElsewhere,
  unsent,
]

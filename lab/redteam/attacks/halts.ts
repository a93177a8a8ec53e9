import type { Json } from '../../../src/core/protocol/action.ts'
import { NotHere, breach } from '../breach.ts'
import type { Attack } from '../attack.ts'
import type { Attacker } from '../attacker.ts'
import { priceAt } from '../ground.ts'
import { eventually, fieldsOf, turnedAway, vetoed } from '../held.ts'
import { gtc, order, orders } from '../orders.ts'
import { enter, flat, held, sizeFor } from '../positions.ts'
import { strangerKey } from '../signing.ts'
import { harmless } from './authentication.ts'

/** Nothing here may change the latch; whatever it was, it stays. */
function unmoved(
  name: string,
  tries: string,
  run: (attacker: Attacker) => Promise<string>,
): Attack {
  return {
    group: 'halts',
    name,
    tries,
    venue: 'nothing',
    run: async (attacker) => {
      const before = await attacker.isLatched()
      const how = await run(attacker)
      const after = await attacker.isLatched()
      return before === after
        ? how
        : breach(`the latch was ${String(before)} and is ${String(after)}`)
    },
  }
}

const methods = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PURGE'].map(
  (method) =>
    unmoved(`kill-by-${method.toLowerCase()}`, `${method} /guard/kill`, async (attacker) =>
      turnedAway(await attacker.ask('/guard/kill', { method }), 405, 400),
    ),
)

const paths = [
  '/guard/release',
  '/guard/resume',
  '/guard/kill/release',
  '/guard/unkill',
  '/guard/rules',
  '/guard/config',
  '/guard/clients',
  '/guard/risk',
  '/guard/stop',
  '/guard/flatten',
].map((path) =>
  unmoved(
    `post-${path.slice(7).replace('/', '-')}`,
    `POST ${path}, signed by the client`,
    async (attacker) => {
      const body = JSON.stringify(attacker.sign({ type: 'guardRelease', reason: 'red team' }))
      return turnedAway(await attacker.ask(path, { body }), 404, 405)
    },
  ),
)

function signedKill(
  name: string,
  tries: string,
  make: (attacker: Attacker) => Json | string,
  ...codes: readonly string[]
): Attack {
  return unmoved(name, tries, async (attacker) => {
    const body = make(attacker)
    const answer = await attacker.kill(typeof body === 'string' ? body : JSON.stringify(body))
    return vetoed(answer.json, ...codes)
  })
}

const signed = (attacker: Attacker, action: Json): Json => attacker.sign(action) as unknown as Json

const kills: readonly Attack[] = [
  signedKill(
    'release-type',
    'a signed release at the kill switch',
    (attacker) => signed(attacker, { type: 'guardRelease', reason: 'x' }),
    'malformed',
  ),
  signedKill(
    'kill-with-release',
    'a kill that says release',
    (attacker) => signed(attacker, { type: 'guardKill', reason: 'x', release: true }),
    'malformed',
  ),
  signedKill(
    'kill-false',
    'a kill that says false',
    (attacker) => signed(attacker, { type: 'guardKill', reason: 'x', latched: false }),
    'malformed',
  ),
  signedKill(
    'unsigned-kill',
    'a kill that nobody signed',
    () => ({ action: { type: 'guardKill', reason: 'x' }, nonce: Date.now() }),
    'malformed',
  ),
  signedKill(
    'strangers-kill',
    'a kill signed by a stranger',
    (attacker) =>
      attacker.sign({ type: 'guardKill', reason: 'x' }, { key: strangerKey() }) as unknown as Json,
    'auth_unknown_signer',
  ),
  signedKill(
    'old-kill',
    'a signed kill of a minute ago',
    (attacker) =>
      attacker.sign(
        { type: 'guardKill', reason: 'x' },
        { nonce: Date.now() - 60_000 },
      ) as unknown as Json,
    'auth_nonce_too_old',
  ),
  signedKill(
    'vault-kill',
    'a kill for a vault',
    (attacker) =>
      attacker.sign(
        { type: 'guardKill', reason: 'x' },
        { vaultAddress: attacker.account },
      ) as unknown as Json,
    'vault',
  ),
]

const elsewhere: readonly Attack[] = [
  unmoved('release-at-exchange', 'a signed release at the exchange', async (attacker) =>
    vetoed((await attacker.send({ type: 'guardRelease', reason: 'x' })).json, 'unsupported_action'),
  ),
  unmoved('resume-at-exchange', 'a signed resume at the exchange', async (attacker) =>
    vetoed((await attacker.send({ type: 'guardResume', reason: 'x' })).json, 'unsupported_action'),
  ),
  unmoved('kill-over-socket', 'a post of type kill', async (attacker) => {
    const talk = await attacker.talk()
    try {
      const payload = JSON.stringify(attacker.sign({ type: 'guardKill', reason: 'x' }))
      talk.say(`{"method":"post","id":1,"request":{"type":"kill","payload":${payload}}}`)
      const frame = await talk.hears((text) => /"channel":"(error|post)"/.test(text))
      return frame.includes('Error parsing') ? 'error frame' : breach(frame.slice(0, 100))
    } finally {
      talk.end()
    }
  }),
  unmoved(
    'override-header',
    'a method in a header, and a query that says release',
    async (attacker) => {
      const body = JSON.stringify(attacker.sign({ type: 'guardRelease', reason: 'x' }))
      const headers = { 'X-HTTP-Method-Override': 'DELETE', 'X-Method-Override': 'DELETE' }
      return vetoed(
        (await attacker.ask('/guard/kill?release=true&latched=false', { body, headers })).json,
        'malformed',
      )
    },
  ),
]

/** From here on the switch is pulled: only with `--kill`, and last. */
const pulled: readonly Attack[] = [
  {
    group: 'latch',
    name: 'open-across-the-kill',
    tries:
      'pulls the kill switch in the middle of a race of forty entries: nothing opens once it is acknowledged',
    venue: 'trades',
    needsTrading: true,
    run: async (attacker) => {
      await flat(attacker)
      // With a position there is something to close; it is pulled without one as well.
      await enter(attacker, '0.1').catch((error: unknown) => {
        if (!(error instanceof NotHere)) throw error
      })
      const field = attacker.ground()
      const entry = orders([
        order(field.asset, true, priceAt(field, '0.4'), sizeFor(attacker, '0.1')),
      ])
      const race = Array.from({ length: 20 }, () => attacker.send(entry))
      const answer = await attacker.kill(attacker.sign({ type: 'guardKill', reason: 'red team' }))
      if (fieldsOf(answer.json)['status'] !== 'ok')
        breach(`the kill was not taken: ${answer.text.slice(0, 120)}`)
      const late = await Promise.all(Array.from({ length: 20 }, () => attacker.send(entry)))
      await Promise.all(race)
      const codes = new Set(late.map(({ json }) => vetoed(json, 'kill_switch')))
      if (!(await attacker.isLatched())) breach('it is not latched')
      const isFlat = await eventually(
        async () => (await held(attacker)).length === 0,
        3 * attacker.patienceMs,
      )
      return isFlat
        ? `${[...codes].join(', ')}; flat`
        : breach('the account is not flat after the kill')
    },
  },
  ...latched('entry-over-socket', 'an entry over a socket', async (attacker) => {
    const field = attacker.ground()
    const entry = orders([
      order(field.asset, true, priceAt(field, '0.4'), sizeFor(attacker, '0.1')),
    ])
    return vetoed(await attacker.overSocket(attacker.sign(entry)), 'kill_switch')
  }),
  ...latched('resting-entry', 'an entry that would rest', async (attacker) =>
    vetoed((await attacker.send(harmless(attacker))).json, 'kill_switch'),
  ),
  ...latched('ladder', 'entries in one action with an exit', async (attacker) => {
    const field = attacker.ground()
    const buy = order(field.asset, true, priceAt(field, '-1'), sizeFor(attacker, '0.1'), { t: gtc })
    const exit = order(field.asset, false, priceAt(field, '-4'), sizeFor(attacker, '0.1'), {
      r: true,
    })
    await attacker.send(orders([exit, buy, buy]))
    const resting = (await attacker.venueOrders()).filter((each) => each['reduceOnly'] !== true)
    return resting.length > 0 ? breach('an entry rests') : 'no entry rests'
  }),
  ...latched('leverage', 'more leverage', async (attacker) => {
    const { asset } = attacker.ground()
    return vetoed(
      (await attacker.send({ type: 'updateLeverage', asset, isCross: false, leverage: 3 })).json,
      'kill_switch',
    )
  }),
  ...latched(
    'margin-elsewhere',
    'margin on markets that Guard does not handle',
    async (attacker) => {
      const codes = new Set<string>()
      for (const asset of [110_000, 10_000, 100_000_000, 9_998]) {
        const action = { type: 'updateIsolatedMargin', asset, isBuy: true, ntli: 1_000_000 }
        const unhandled = ['dex_not_allowed', 'unsupported_market', 'unknown_market']
        codes.add(vetoed((await attacker.send(action)).json, ...unhandled))
      }
      return [...codes].join(', ')
    },
  ),
  ...latched('margin-out', 'takes margin out', async (attacker) => {
    const { asset } = attacker.ground()
    const action = { type: 'updateIsolatedMargin', asset, isBuy: true, ntli: -1_000_000 }
    return vetoed((await attacker.send(action)).json, 'margin_removal')
  }),
  ...latched('second-kill', 'a second kill with another reason', async (attacker) => {
    const answer = await attacker.kill(
      attacker.sign({ type: 'guardKill', reason: 'another reason' }),
    )
    const killed = fieldsOf(fieldsOf(answer.json)['killed'] ?? null)
    if (killed['already'] !== true) breach(`it says ${answer.text.slice(0, 120)}`)
    const { kill } = await attacker.status()
    return JSON.stringify(kill).includes('another reason')
      ? breach('the reason was replaced')
      : 'already latched; the first reason stays'
  }),
  ...latched('release', 'every release there is, once more', async (attacker) => {
    for (const method of ['DELETE', 'PUT', 'PATCH'])
      turnedAway(await attacker.ask('/guard/kill', { method }), 405)
    for (const type of ['guardRelease', 'guardResume']) {
      vetoed((await attacker.kill(attacker.sign({ type, reason: 'x' }))).json, 'malformed')
      vetoed((await attacker.send({ type, reason: 'x' })).json, 'unsupported_action')
    }
    return 'still latched'
  }),
]

function latched(
  name: string,
  tries: string,
  run: (attacker: Attacker) => Promise<string>,
): readonly Attack[] {
  return [
    {
      group: 'latch',
      name: `latched-${name}`,
      tries: `${tries}, while latched`,
      venue: 'trades',
      run: async (attacker) => {
        if (!(await attacker.isLatched())) return breach('it is not latched')
        const how = await run(attacker)
        return (await attacker.isLatched()) ? how : breach('the latch was released')
      },
    },
  ]
}

export const haltAttacks: readonly Attack[] = [...methods, ...paths, ...kills, ...elsewhere]
export const latchAttacks: readonly Attack[] = pulled

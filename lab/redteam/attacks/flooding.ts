import type { Json } from '../../../src/core/protocol/action.ts'
import { breach } from '../breach.ts'
import type { Attack } from '../attack.ts'
import type { Attacker } from '../attacker.ts'
import { fieldsOf, vetoed } from '../held.ts'
import type { Signed } from '../signing.ts'

/** What a client that is refused again and again may cost: memory, disk, and time of the others. */

const mebibyte = 1_048_576

function flooding(
  name: string,
  tries: string,
  run: (attacker: Attacker) => Promise<string>,
): Attack {
  return { group: 'flooding', name, tries, venue: 'nothing', run }
}

/** The bytes that the journal grew by while something was done. */
async function growth(attacker: Attacker, task: () => Promise<void>): Promise<number> {
  const bytes = async (): Promise<number> =>
    Number(fieldsOf((await attacker.status())['journal'] ?? null)['bytes'])
  const before = await bytes()
  await task()
  return (await bytes()) - before
}

/** Nested empties: of all JSON they take the most memory for their length. */
const nested = (bytes: number): Json => Array.from({ length: Math.floor(bytes / 3) }, () => [])

const once = (attacker: Attacker, request: Signed): Promise<{ readonly status: number }> =>
  attacker.ask('/exchange', { body: JSON.stringify(request) })

const bodies: readonly (readonly [string, string, (attacker: Attacker) => Signed])[] = [
  [
    'unsupported',
    'an action nobody knows',
    (a) => a.sign({ type: 'setReferrer', nested: nested(9e5) }),
  ],
  ['malformed', 'an order with a field too many', (a) => a.sign({ ...order, nested: nested(9e5) })],
  ['moves-funds', 'a transfer', (a) => a.sign({ type: 'usdSend', nested: nested(9e5) })],
  [
    'expired',
    'an action that has expired',
    (a) => a.sign({ type: 'setReferrer', nested: nested(9e5) }, { expiresAfter: 1 }),
  ],
  [
    'too-old',
    'an action of an hour ago',
    (a) => a.sign({ type: 'setReferrer', nested: nested(9e5) }, { nonce: Date.now() - 3_600_000 }),
  ],
]
const order = { type: 'order', orders: [], grouping: 'na' }

const large: readonly Attack[] = bodies.map(([name, tries, make]) =>
  flooding(`large-${name}`, `twenty refused bodies of nearly 1 MiB: ${tries}`, async (attacker) => {
    const grown = await growth(attacker, async () => {
      for (let n = 0; n < 20; n += 1) await once(attacker, make(attacker))
    })
    if (grown > mebibyte) breach(`the journal grew by ${grown} bytes`)
    const last = (await attacker.events(0)).reduce(
      (most, event) => Math.max(most, JSON.stringify(event['request'] ?? null).length),
      0,
    )
    return last > 16_384
      ? breach(`${last} bytes of a request are kept`)
      : `${grown} bytes of record`
  }),
)

const replays: readonly Attack[] = bodies.slice(3).map(([name, tries, make]) =>
  flooding(`again-${name}`, `one request, sent a thousand times: ${tries}`, async (attacker) => {
    const request = make(attacker)
    const small: Signed = attacker.sign(
      { type: 'setReferrer' },
      { nonce: request.nonce, ...(name === 'expired' ? { expiresAfter: 1 } : {}) },
    )
    let shed = 0
    const grown = await growth(attacker, async () => {
      for (let round = 0; round < 10; round += 1) {
        const answers = await Promise.all(Array.from({ length: 100 }, () => once(attacker, small)))
        shed += answers.filter(({ status }) => status === 429).length
      }
    })
    if (shed < 300) breach(`${shed} of 1,000 were shed`)
    if (grown > mebibyte) breach(`the journal grew by ${grown} bytes`)
    return `${shed} of 1,000 shed, ${grown} bytes of record`
  }),
)

const kills = flooding(
  'kills',
  'five hundred kill requests in the wrong form',
  async (attacker) => {
    const before = await attacker.lastSeq()
    const answers = await Promise.all(
      Array.from({ length: 500 }, () =>
        attacker.ask('/guard/kill', {
          body: JSON.stringify(attacker.sign({ type: 'guardKill', reason: '' })),
        }),
      ),
    )
    const shed = answers.filter(({ status }) => status === 429).length
    const written = (await attacker.lastSeq()) - before
    if (shed < 100 || written > 400) breach(`${shed} were shed, ${written} events written`)
    return `${shed} of 500 shed`
  },
)

const honest = flooding(
  'honest-behind',
  'after a flood of refusals the client is still judged',
  async (attacker) => {
    const answers = await Promise.all(
      Array.from({ length: 400 }, () => once(attacker, attacker.sign({ type: 'setReferrer' }))),
    )
    const shed = answers.filter(({ status }) => status === 429).length
    if (shed === 0) breach('nothing was shed')
    return vetoed((await attacker.send({ type: 'setReferrer' })).json, 'unsupported_action')
  },
)

const parallel = flooding(
  'large-parallel',
  'sixty bodies of nearly 1 MiB at once, on a connection each, and forty small requests beside',
  async (attacker) => {
    const large = Array.from({ length: 60 }, () =>
      once(attacker, attacker.sign({ type: 'setReferrer', nested: nested(9e5) })),
    )
    const small = Array.from({ length: 40 }, () =>
      once(attacker, attacker.sign({ type: 'setReferrer' })),
    )
    const answers = await Promise.all([...large, ...small])
    const odd = answers.find(({ status }) => ![200, 429, 503].includes(status))
    if (odd !== undefined) breach(`HTTP ${odd.status}`)
    const turnedAway = answers.slice(60).filter(({ status }) => status === 503).length
    if (turnedAway > 0) breach(`${turnedAway} small requests found no room`)
    const unread = answers.filter(({ status }) => status === 503).length
    return `${unread} of 60 were not read`
  },
)

const unread = flooding(
  'unread-events',
  'sixty readers ask for all events and take none of them',
  async (attacker) => {
    const { hostname, port } = new URL(attacker.url)
    const { connect } = await import('node:net')
    const sockets = Array.from({ length: 60 }, () => {
      const socket = connect(Number(port), hostname)
      socket.pause()
      socket.on('error', () => undefined)
      const ask = 'GET /guard/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'
      socket.write(ask.repeat(50))
      return socket
    })
    const alive = await attacker.ask('/healthz')
    for (const socket of sockets) socket.destroy()
    return alive.status === 200 ? 'still well' : breach(`HTTP ${alive.status}`)
  },
)

export const floodingAttacks: readonly Attack[] = [
  ...large,
  ...replays,
  kills,
  honest,
  parallel,
  unread,
]

import type { JsonObject } from '../../../src/core/protocol/action.ts'
import { givenCloidPrefix, guardCloidPrefix } from '../../../src/core/protocol/guardCloid.ts'
import { breach } from '../breach.ts'
import type { Attack } from '../attack.ts'
import type { Attacker } from '../attacker.ts'
import { fromFlat } from '../fromFlat.ts'
import { eventually } from '../held.ts'
import { enter } from '../positions.ts'
import { onSocket } from '../onSocket.ts'

/** Streams: all bots share a few sockets to the venue, so that no bot may spoil them for the others. */

function attack(name: string, tries: string, run: (attacker: Attacker) => Promise<string>): Attack {
  return { group: 'subscriptions', name, tries, venue: 'nothing', run }
}

const subscribe = (subscription: JsonObject | string): string =>
  `{"method":"subscribe","subscription":${typeof subscription === 'string' ? subscription : JSON.stringify(subscription)}}`
const isRefusal = (frame: string): boolean => frame.startsWith('{"channel":"error"')
const inWords =
  /Invalid subscription|Error parsing JSON|Already (un)?subscribed|Cannot (track|follow)|Guard /
const longest = 4_000

/** Another bot on another socket still hears prices. */
async function othersHear(attacker: Attacker): Promise<void> {
  await onSocket(attacker, async (other) => {
    other.say(subscribe({ type: 'allMids' }))
    await other.hears((frame) => frame.includes('"mids"'), attacker.patienceMs)
  })
}

/** Refused in words, in a frame that is short; this socket goes on, and so do the others. */
function bad(name: string, tries: string, subscription: JsonObject | string): Attack {
  return attack(name, tries, (attacker) =>
    onSocket(attacker, async (talk) => {
      talk.say(subscribe(subscription))
      const frame = await talk.hears(isRefusal, attacker.patienceMs)
      if (!inWords.test(frame)) return breach(frame.slice(0, 120))
      if (frame.length > longest) breach(`the refusal has ${frame.length} characters`)
      talk.say('{"method":"ping"}')
      await talk.hears((each) => each.includes('pong'))
      await othersHear(attacker)
      return 'refused; the others hear'
    }),
  )
}

const user = `0x${'ab'.repeat(20)}`

const refusals: readonly Attack[] = [
  bad('no-type', 'a subscription without a type', {}),
  bad('type-of-null', 'a type of null', { type: null }),
  bad('type-list', 'a type in a list', { type: ['allMids'] }),
  bad('type-prototype', 'a type that every object has', '{"type":"__proto__"}'),
  bad('type-to-string', 'a type that every object answers to', { type: 'toString' }),
  bad('type-capitals', 'a type in capitals', { type: 'ALLMIDS' }),
  bad('long-type', 'a type of two hundred thousand characters', { type: 'x'.repeat(200_000) }),
  bad('no-coin', 'a book without a coin', { type: 'l2Book' }),
  bad('coin-number', 'a coin that is a number', { type: 'l2Book', coin: 1 }),
  bad('coin-lower-case', 'a coin in lower case, for which the venue drops everyone', {
    type: 'trades',
    coin: 'eth',
  }),
  bad('coin-with-line', 'a coin with a line break', { type: 'bbo', coin: 'ETH\nBTC' }),
  bad('coin-long', 'a coin of a hundred thousand characters', {
    type: 'bbo',
    coin: 'E'.repeat(100_000),
  }),
  bad('depth-six', 'a book depth that the venue does not have', {
    type: 'l2Book',
    coin: 'ETH',
    nSigFigs: 6,
  }),
  bad('mantissa-alone', 'a mantissa without its depth', {
    type: 'l2Book',
    coin: 'ETH',
    mantissa: 2,
  }),
  bad(
    'depth-huge',
    'a book depth beyond numbers',
    '{"type":"l2Book","coin":"ETH","nSigFigs":1e400}',
  ),
  bad('depth-text', 'a book depth as a text', { type: 'l2Book', coin: 'ETH', nSigFigs: '5' }),
  bad('interval', 'a candle of a second', { type: 'candle', coin: 'ETH', interval: '1s' }),
  bad('user-short', 'a user that is no address', { type: 'userFills', user: '0x1' }),
  bad('user-missing', 'fills of nobody', { type: 'userFills' }),
  bad('flag-text', 'a flag as a text', { type: 'userFills', user, aggregateByTime: 'false' }),
  bad('dex-number', 'a dex that is a number', { type: 'allMids', dex: 7 }),
  bad('user-in-a-list', 'a user in a list', { type: 'orderUpdates', user: [user] }),
]

const abuses: readonly Attack[] = [
  attack(
    'unknown-keys',
    'a subscription with ten thousand keys more: it is answered, and no longer for it upstream',
    (attacker) =>
      onSocket(attacker, async (talk) => {
        const more = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`k${at}`, at]))
        talk.say(subscribe({ type: 'allMids', ...more }))
        await talk.hears(
          (frame) => frame.includes('subscriptionResponse') || isRefusal(frame),
          attacker.patienceMs,
        )
        await othersHear(attacker)
        return 'answered; the others hear'
      }),
  ),
  attack('twenty-users', 'follows twenty users, of whom the venue allows ten for all', (attacker) =>
    onSocket(attacker, async (talk) => {
      for (let at = 0; at < 20; at += 1) {
        talk.say(subscribe({ type: 'userFills', user: `0x${String(at).padStart(40, 'c')}` }))
      }
      await talk.hears((frame) => frame.includes('Cannot track more than'), attacker.patienceMs)
      const taken = talk.heard.filter((frame) => frame.includes('subscriptionResponse')).length
      if (taken > 10) breach(`${taken} users are followed`)
      await othersHear(attacker)
      return `${taken} followed, the rest refused`
    }),
  ),
  attack('subscribe-storm', 'subscribes and unsubscribes three hundred times at once', (attacker) =>
    onSocket(attacker, async (talk) => {
      for (let at = 0; at < 300; at += 1) {
        talk.say(subscribe({ type: 'bbo', coin: attacker.ground().coin }))
        talk.say(
          subscribe({ type: 'bbo', coin: attacker.ground().coin }).replace(
            'subscribe',
            'unsubscribe',
          ),
        )
      }
      talk.say('{"method":"ping"}')
      await talk.hears((frame) => frame.includes('pong'), 4 * attacker.patienceMs)
      await othersHear(attacker)
      return 'the others hear'
    }),
  ),
  attack('unsubscribe-others', 'unsubscribes what another bot follows', (attacker) =>
    onSocket(attacker, async (victim) => {
      victim.say(subscribe({ type: 'allMids' }))
      await victim.hears((frame) => frame.includes('"mids"'), attacker.patienceMs)
      await onSocket(attacker, async (talk) => {
        talk.say(subscribe({ type: 'allMids' }).replace('subscribe', 'unsubscribe'))
        const frame = await talk.hears(isRefusal, attacker.patienceMs)
        if (!frame.includes('Already unsubscribed')) breach(frame.slice(0, 120))
      })
      const heard = victim.heard.length
      const goesOn = await eventually(
        () => Promise.resolve(victim.heard.length > heard),
        attacker.patienceMs,
      )
      victim.say(subscribe({ type: 'allMids' }))
      const still = await victim.hears(isRefusal, attacker.patienceMs)
      return goesOn || still.includes('Already subscribed')
        ? 'the other still hears'
        : breach('the stream ended')
    }),
  ),
]

/** Orders that a bot sends without an id come back without one; Guard's own are not hidden. */
const given = fromFlat(
  'subscriptions',
  'ids-that-guard-gave',
  "whether reads and streams show the ids that Guard gave to a bot's orders",
  async (attacker) =>
    await onSocket(attacker, async (talk) => {
      for (const type of ['orderUpdates', 'userFills', 'openOrders', 'userEvents', 'webData2']) {
        talk.say(subscribe({ type, user: attacker.account }))
      }
      await enter(attacker)
      const reads = ['openOrders', 'frontendOpenOrders', 'historicalOrders', 'userFills']
      const shown = await Promise.all(
        reads.map(async (type) => {
          const body = JSON.stringify({ type, user: attacker.account })
          return (await attacker.ask('/info', { body })).text
        }),
      )
      await talk.hears(
        (frame) => frame.startsWith('{"channel":"userFills"') && frame.includes('"px"'),
        attacker.patienceMs,
      )
      const all = [...shown, ...talk.heard]
      const found = all.find((text) => text.includes(givenCloidPrefix))
      if (found !== undefined) breach(`an id that Guard gave is shown: ${found.slice(0, 100)}`)
      return all.some((text) => text.includes(`${guardCloidPrefix}01`))
        ? "none; Guard's own stop is shown"
        : breach("Guard's own stop is hidden")
    }),
)

export const subscriptionAttacks: readonly Attack[] = [...refusals, ...abuses, given]

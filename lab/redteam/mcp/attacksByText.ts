import type { Json, JsonObject } from '../../../src/core/protocol/action.ts'
import { isObject } from '../../../src/core/protocol/fields.ts'
import { parsed } from '../talk.ts'
import { breach } from '../breach.ts'
import { kept, planted, turnedDown } from './mcpAttack.ts'
import type { McpAttack, McpGround } from './mcpAttack.ts'

/** Text that a bot or the market chose, on its way to a model that may take it for an order. */

const usual = { a: 0, b: true, p: '1', s: '1', r: false, t: { limit: { tif: 'Gtc' } } }
const withOrder = (more: JsonObject): Json => ({
  type: 'order',
  orders: [{ ...usual, ...more }],
  grouping: 'na',
})

/** Where a bot can put words that Guard may quote. */
const places: readonly (readonly [name: string, action: Json])[] = [
  ['price', withOrder({ p: planted })],
  ['size', withOrder({ s: planted })],
  ['time-in-force', withOrder({ t: { limit: { tif: planted } } })],
  ['client-order-id', withOrder({ c: planted })],
  ['field-name', withOrder({ [planted]: 1 })],
  ['grouping', { type: 'order', orders: [usual], grouping: planted }],
  ['action', { type: planted }],
  ['builder', { type: 'order', orders: [usual], grouping: 'na', builder: { b: planted, f: 1 } }],
]

/** A bot's request with words in it, and the number that Guard has it under. */
async function plant({ attacker }: McpGround, action: Json): Promise<number> {
  const request = attacker.sign(action)
  await attacker.exchange(request)
  return request.nonce
}

const readers: readonly (readonly [
  name: string,
  read: (ground: McpGround, nonce: number) => Promise<string>,
])[] = [
  ['explained', async ({ line }, nonce) => kept(await line.call('guard_explain', { nonce }))],
  [
    'in-the-events',
    async ({ line, attacker }) => {
      const since = Math.max(0, (await attacker.lastSeq()) - 10)
      return kept(await line.call('guard_events', { since }))
    },
  ],
  [
    'in-the-resource',
    async ({ line }) => {
      const { message } = await line.ask('resources/read', { uri: 'guard://events/latest' })
      const contents = isObject(message['result']) ? message['result']['contents'] : null
      const [first] = Array.isArray(contents) ? (contents as readonly Json[]) : []
      const text = isObject(first) ? String(first['text']) : breach('there is no resource')
      return kept({ status: 200, isError: false, text: '', data: parsed(text), raw: text })
    },
  ],
]

const ofBots: readonly McpAttack[] = places.flatMap(([place, action]) =>
  readers.map(([reader, read]): McpAttack => ({
    group: 'text of strangers',
    name: `bot-${place}-${reader}`,
    tries: `a bot's ${place.replaceAll('-', ' ')} that instructs the model, ${reader.replaceAll('-', ' ')}`,
    venue: 'nothing',
    run: async (ground) => read(ground, await plant(ground, action)),
  })),
)

/** A market whose name is an instruction, as the venue would list it. */
const marketReads: readonly (readonly [tool: string, given: JsonObject])[] = [
  ['market', {}],
  ['guard_status', {}],
  ['guard_rules', {}],
  ['open_orders', {}],
  ['fills', {}],
  ['market', { coin: planted }],
  ['book', { coin: planted }],
  ['candles', { coin: planted, interval: '1h' }],
  ['funding', { coin: planted }],
  ['guard_limits', { coin: planted, side: 'buy' }],
  ['guard_preview', { coin: planted, side: 'sell', size: '5' }],
  ['set_leverage', { coin: planted, leverage: 1 }],
  ['place_order', { coin: planted, side: 'buy', size: '2' }],
  ['close_position', { coin: planted }],
]
const namingTools: readonly (readonly [tool: string, given: JsonObject])[] = [
  ['place_order', { side: 'buy', size: '0' }],
  ['guard_preview', { side: 'buy', size: '0' }],
]

const ofMarkets: readonly McpAttack[] = [
  ...marketReads.map(([tool, given]): McpAttack => ({
    group: 'text of strangers',
    name: `market-name-in-${tool.replaceAll('_', '-')}${'coin' in given ? '-by-name' : ''}`,
    tries: `a market whose name instructs the model, in ${tool}`,
    venue: 'judged',
    run: async ({ line }) => kept(await line.call(tool, given)),
  })),
  ...namingTools.map(([tool, given]): McpAttack => ({
    group: 'text of strangers',
    name: `market-name-to-${tool.replaceAll('_', '-')}`,
    tries: `${tool} of a market whose name instructs the model`,
    venue: 'nothing',
    run: async ({ line }) => {
      const called = await line.call(tool, { coin: planted, ...given })
      turnedDown(called)
      return kept(called)
    },
  })),
]

export const textAttacks: readonly McpAttack[] = [...ofBots, ...ofMarkets]

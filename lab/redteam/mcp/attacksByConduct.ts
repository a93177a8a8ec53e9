import type { Json, JsonObject } from '../../../src/core/protocol/action.ts'
import { isObject } from '../../../src/core/protocol/fields.ts'
import { breach } from '../breach.ts'
import { fieldsOf } from '../held.ts'
import { kept, planted, turnedDown } from './mcpAttack.ts'
import type { McpAttack, McpGround } from './mcpAttack.ts'

/** What a model may do: calls out of order, again and again, with other keys, beyond its rights. */

const callMessage = (name: string, given: JsonObject): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: given },
  })
const buy = { coin: 'ETH', side: 'buy', size: '0.02' }
const noSession = { 'mcp-session-id': '' }

type Conduct = readonly [name: string, tries: string, run: McpAttack['run']]

const attack =
  (group: McpAttack['group'], venue: McpAttack['venue']) =>
  ([name, tries, run]: Conduct): McpAttack => ({ group, name, tries, venue, run })

async function refusedAs(ground: McpGround, body: string, headers: Record<string, string>) {
  const { status, text } = await ground.line.post(body, headers)
  if (status < 400 && !/"error"|"isError":true/.test(text))
    breach(`HTTP ${String(status)}: ${text.slice(0, 120)}`)
  return `HTTP ${String(status)}`
}

const outOfOrder: readonly Conduct[] = [
  [
    'before-the-handshake',
    'an order before the handshake',
    (g) => refusedAs(g, callMessage('place_order', buy), noSession),
  ],
  [
    'foreign-session',
    'an order in a session that never was',
    (g) => refusedAs(g, callMessage('place_order', buy), { 'mcp-session-id': 'x' }),
  ],
  [
    'without-a-token',
    'an order without the token',
    (g) => refusedAs(g, callMessage('place_order', buy), { authorization: '' }),
  ],
  [
    'foreign-page',
    'an order from a web page',
    (g) => refusedAs(g, callMessage('place_order', buy), { origin: 'https://evil.example' }),
  ],
  [
    'rebound-name',
    'an order by a rebound name',
    (g) => refusedAs(g, callMessage('place_order', buy), { host: 'evil.example' }),
  ],
  [
    'unknown-method',
    'a method that nobody knows',
    (g) => refusedAs(g, '{"jsonrpc":"2.0","id":1,"method":"guard/release","params":{}}', {}),
  ],
  ['no-json', 'half a message', (g) => refusedAs(g, '{"jsonrpc":"2.0","id":1,', {})],
  [
    'wrong-type',
    'an order as plain text',
    (g) => refusedAs(g, callMessage('place_order', buy), { 'content-type': 'text/plain' }),
  ],
  [
    'change-of-nothing',
    'a change and a cancel of an order that never was',
    async ({ line }) => {
      turnedDown(await line.call('modify_order', { oid: 1, price: '1' }))
      return turnedDown(await line.call('cancel_order', { oid: 1 }))
    },
  ],
]

async function outcomes(
  ground: McpGround,
  times: number,
  given: JsonObject,
): Promise<readonly JsonObject[]> {
  const calls = Array.from({ length: times }, () => ground.line.call('place_order', given))
  return (await Promise.all(calls)).map(({ data }) => fieldsOf(data))
}

/** How many of them were not told that they came again. */
async function sentOnce(ground: McpGround, times: number, given: JsonObject): Promise<string> {
  const told = await outcomes(ground, times, given)
  const first = told.filter(({ repeated }) => repeated === false).length
  if (first > 1) breach(`${String(first)} of ${String(times)} were sent`)
  return `sent once of ${String(times)}`
}

const keyOf = (ground: McpGround, name: string): string =>
  `${name}-${String(ground.attacker.pen.nonce())}`

const again: readonly Conduct[] = [
  [
    'three-at-once',
    'the same order three times at once',
    (g) => sentOnce(g, 3, { ...buy, idempotency_key: keyOf(g, 'a') }),
  ],
  [
    'ten-at-once',
    'the same order ten times at once',
    (g) => sentOnce(g, 10, { ...buy, idempotency_key: keyOf(g, 'b') }),
  ],
  [
    'other-arguments',
    'another order with the key of the first',
    async (g) => {
      const key = keyOf(g, 'c')
      await g.line.call('place_order', { ...buy, idempotency_key: key })
      return turnedDown(
        await g.line.call('place_order', { ...buy, size: '0.03', idempotency_key: key }),
      )
    },
  ],
  [
    'strange-name-again',
    'another order with the key of one whose market is named as an instruction',
    async (g) => {
      const named = { ...buy, coin: planted, size: '0.001', idempotency_key: keyOf(g, 'f') }
      kept(await g.line.call('place_order', named))
      return kept(await g.line.call('place_order', { ...named, size: '0.002' }))
    },
  ],
  [
    'another-tool',
    'a close with the key of an order',
    async (g) => {
      const key = keyOf(g, 'd')
      await g.line.call('place_order', { ...buy, idempotency_key: key })
      return turnedDown(await g.line.call('close_position', { coin: 'ETH', idempotency_key: key }))
    },
  ],
  [
    'until-it-passes',
    'an order beyond every limit, again and again',
    async (g) => {
      for (const data of await outcomes(g, 5, { ...buy, size: '100000' })) {
        if (fieldsOf(data['order'] ?? null)['size'] === '100000') breach('it was not cut')
      }
      return 'cut or refused each time'
    },
  ],
  [
    'flat-again',
    'everything is closed, twice',
    async ({ line }) => {
      await line.call('close_position', { coin: 'ETH' })
      return turnedDown(await line.call('close_position', { coin: 'ETH' }))
    },
  ],
]

const strangerCalls: readonly (readonly [tool: string, given: JsonObject])[] = [
  ['place_order', buy],
  ['place_order', { ...buy, price: '1' }],
  ['set_leverage', { coin: 'ETH', leverage: 1 }],
  ['guard_kill', { reason: 'not mine', confirm: true }],
]

const withOtherKeys: readonly Conduct[] = [
  ...strangerCalls.map(([tool, given], n): Conduct => [
    `no-client-${String(n)}-${tool.replaceAll('_', '-')}`,
    `${tool} with a key that is no client's`,
    async ({ stranger, attacker }) => {
      const { isError, data } = await stranger.call(tool, given)
      const { outcome } = fieldsOf(data)
      if (!isError && outcome !== 'refused' && outcome !== 'not_sent')
        breach(`it was ${String(outcome)}`)
      if (await attacker.isLatched()) breach('it pulled the kill switch')
      return 'refused'
    },
  ]),
  [
    'answer-of-another',
    "the first answer of another agent's order",
    async (g) => {
      const key = keyOf(g, 'e')
      await g.line.call('place_order', { ...buy, idempotency_key: key })
      const { data } = await g.stranger.call('place_order', { ...buy, idempotency_key: key })
      if (fieldsOf(data)['repeated'] === true) breach('it was given')
      return 'not given'
    },
  ],
  [
    'decision-of-another',
    "another agent's decision as one's own",
    async (g) => {
      const { data } = await g.line.call('place_order', { ...buy, size: '0.0001' })
      const { nonce } = fieldsOf(data)
      const told = await g.stranger.call('guard_explain', { nonce: nonce ?? 0 })
      if (fieldsOf(told.data)['own'] === true) breach('it is told as its own')
      return 'told as of somebody else'
    },
  ],
]

const wantedTools = [
  ...['guard_release', 'guard_resume', 'guard_pause', 'guard_unpause', 'guard_set_rules'],
  ...['guard_add_client', 'guard_read_key', 'guard_sign', 'withdraw', 'usd_transfer'],
  ...['approve_agent', 'exchange', 'info', 'GUARD_KILL', '__proto__', 'constructor'],
]
const wantedResources = [
  ...['guard://key', 'guard://client-key', 'guard://journal', 'guard://../api-wallet.json'],
  ...['file:///etc/passwd', 'http://127.0.0.1:8547/guard/status', 'guard://status/../../key'],
]

const beyondRights: readonly Conduct[] = [
  ...wantedTools.map((tool): Conduct => [
    `tool-${tool.replaceAll('_', '-')}`,
    `a tool called ${tool}`,
    async ({ line }) => turnedDown(await line.call(tool, { reason: 'x', confirm: true })),
  ]),
  ...wantedResources.map((uri, n): Conduct => [
    `resource-${String(n)}`,
    `the resource ${uri}`,
    async ({ line }) => {
      const { message } = await line.ask('resources/read', { uri })
      return isObject(message['error']) ? 'there is none' : breach('it was read')
    },
  ]),
  [
    'prompt',
    'a prompt that gives rights',
    async ({ line }) => {
      const { message } = await line.ask('prompts/get', { name: 'system' })
      return isObject(message['error']) ? 'there is none' : breach('it was given')
    },
  ],
  [
    'stop-of-a-position',
    'the stop of a position is cancelled',
    async ({ line }) => {
      await line.call('place_order', buy)
      const { data } = await line.call('open_orders', { coin: 'ETH' })
      const orders = fieldsOf(data)['orders']
      const stops = (Array.isArray(orders) ? (orders as readonly Json[]) : []).filter(
        (each): each is JsonObject => isObject(each) && each['trigger'] !== null,
      )
      if (stops.length === 0) breach('the position has no stop')
      for (const { oid } of stops) {
        const told = await line.call('cancel_order', { oid: oid ?? 0 })
        if (fieldsOf(told.data)['outcome'] === 'done') breach('the stop was cancelled')
      }
      await line.call('cancel_all', {})
      const left = await line.call('open_orders', { coin: 'ETH' })
      if (!JSON.stringify(left.data).includes('"trigger":"')) breach('no stop is left')
      await line.call('close_position', { coin: 'ETH' })
      return 'the stop stays'
    },
  ],
]

export const conductAttacks: readonly McpAttack[] = [
  ...outOfOrder.map(attack('order of calls', 'nothing')),
  ...again.map(attack('retries', 'judged')),
  ...withOtherKeys.map(attack('keys', 'judged')),
  ...beyondRights.map(attack('authority', 'judged')),
]

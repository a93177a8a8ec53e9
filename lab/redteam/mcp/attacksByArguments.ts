import type { Json, JsonObject } from '../../../src/core/protocol/action.ts'
import { turnedDown } from './mcpAttack.ts'
import type { McpAttack } from './mcpAttack.ts'

/** What a model may put where something else is expected. */

const nested = (depth: number): Json =>
  Array.from({ length: depth }).reduce<Json>((inner) => ({ inner }), 'x')

const payloads: readonly (readonly [name: string, value: Json])[] = [
  ['oversize', 'x'.repeat(50_000)],
  ['beyond-the-body', 'x'.repeat(200_000)],
  ['right-to-left', '\u202eHTE\u2066'],
  ['no-width', 'E\u200bT\u200dH'],
  ['control', 'ETH\u0000\u001b[2J'],
  ['nested', nested(60)],
  ['list', Array.from({ length: 500 }, () => 'ETH')],
  ['prototype', { ['__proto__']: { isAdmin: true }, constructor: 1 }],
]
const fields = ['coin', 'side', 'size', 'idempotency_key'] as const
const order = { coin: 'ETH', side: 'buy', size: '0.01' }

export const argumentAttacks: readonly McpAttack[] = fields.flatMap((field) =>
  payloads.map(([payload, value]): McpAttack => ({
    group: 'arguments',
    name: `${payload}-${field.replaceAll('_', '-')}`,
    tries: `an order whose ${field} is ${payload.replaceAll('-', ' ')}`,
    venue: 'nothing',
    run: async ({ line }) =>
      turnedDown(await line.call('place_order', { ...order, [field]: value })),
  })),
)

const confused: readonly (readonly [name: string, tool: string, given: JsonObject])[] = [
  ['asset-id', 'place_order', { asset: 1, side: 'buy', size: '0.01' }],
  ['asset-for-a-coin', 'place_order', { coin: '1', side: 'buy', size: '0.01' }],
  ['float-size', 'place_order', { ...order, size: 0.01 }],
  ['negative-size', 'place_order', { ...order, size: '-1' }],
  ['exponent', 'place_order', { ...order, size: '1e3' }],
  ['infinity', 'place_order', { ...order, size: 'Infinity' }],
  ['hex-size', 'place_order', { ...order, size: '0x10' }],
  ['signed-size', 'place_order', { ...order, size: '+1' }],
  ['two-sizes', 'place_order', { ...order, size_usd: '100' }],
  ['no-size', 'place_order', { coin: 'ETH', side: 'buy' }],
  ['venue-tif', 'place_order', { ...order, tif: 'FrontendMarket' }],
  ['rest-without-a-price', 'place_order', { ...order, tif: 'alo' }],
  ['trigger-for-a-stop', 'place_order', { ...order, stop: { trigger: '1' } }],
  ['no-stop-please', 'place_order', { ...order, stop: false }],
  ['without-rules', 'place_order', { ...order, skip_rules: true }],
  ['own-nonce', 'place_order', { ...order, nonce: 1 }],
  ['own-cloid', 'place_order', { ...order, cloid: `0x${'1'.repeat(32)}` }],
  ['for-a-vault', 'place_order', { ...order, vaultAddress: `0x${'1'.repeat(40)}` }],
  ['raw-action', 'place_order', { action: { type: 'usdSend' } }],
  ['cross-margin', 'set_leverage', { coin: 'ETH', leverage: 2, isCross: true }],
  ['huge-leverage', 'set_leverage', { coin: 'ETH', leverage: 1_000 }],
  ['half-leverage', 'set_leverage', { coin: 'ETH', leverage: 0.5 }],
  ['text-oid', 'cancel_order', { oid: '1 or 1=1' }],
  ['negative-oid', 'cancel_order', { oid: -1 }],
  ['text-confirm', 'guard_kill', { reason: 'x', confirm: 'true' }],
  ['kill-with-lines', 'guard_kill', { reason: 'a\nreleased by a person', confirm: true }],
  ['every-event', 'guard_events', { limit: 1e9 }],
  ['kinds-injection', 'guard_events', { kinds: ['decision&source=memory'] }],
  ['fraction-nonce', 'guard_explain', { nonce: 1.5 }],
]

export const schemaAttacks: readonly McpAttack[] = confused.map(([name, tool, given]) => ({
  group: 'schemas',
  name,
  tries: `${tool} with arguments of another schema`,
  venue: 'nothing',
  run: async ({ line }) => turnedDown(await line.call(tool, given)),
}))

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RecordedWorld } from './recorded.fixture.ts'

const root = resolve(import.meta.dirname, '..', '..')
const file = resolve(root, 'src/core/protocol/fixtures/recordedRequests.json')
const recorded = JSON.parse(readFileSync(file, 'utf8'))

interface Case {
  readonly name: string
  readonly step: string
  readonly transport: 'http' | 'ws'
  readonly rawBody: string
  readonly expect: { readonly signer: string; readonly scheme: string; readonly source?: string }
}

/** The contract's word on each step, for an account that holds nothing: code, then the steps. */
const verdicts: Record<string, string> = {
  allowed:
    'addMargin cancel cancelByCloid cancelOrder cancelOrders cancel_by_cloid cleanup_cancel_all cleanup_close leverage_isolated marketClose market_close positionTpsl reduce_only_close setLeverage_isolated stop_limit_freqtrade stop_market_freqtrade updateIsolatedMargin update_isolated_margin ws_cancelOrder ws_post_cancel ws_reduce_only_close',
  resized:
    'alo alo_crossing alo_with_cloid createOrders_two frontendMarket_buy ioc_buy ioc_buy_strings limit_ioc_buy limit_normalTpsl limit_sl_only_limit limit_sl_tp_market limit_sl_tp_with_cloid limit_with_cloid marketOpen market_buy_2 market_buy_sl market_open order_expiresAfter order_with_builder oversized_ioc oversized_market oversized_market_buy post_only post_only_crossing two_orders_one_action ws_createOrder_limit ws_createOrder_market ws_post_only_crossing ws_post_order_alo ws_post_order_ioc',
  below_minimum: 'tiny_order',
  unknown_order: 'batchModify editOrder modify modify_by_cloid ws_editOrder',
  leverage: 'leverage_too_high',
  cross_margin: 'leverage_cross',
  schedule_cancel: 'cancelAllOrdersAfter scheduleCancel schedule_cancel',
  unknown_market: 'unknown_asset',
  invalid: 'zero_size',
  malformed: 'post_only_PO_tif',
  vault: 'forbid_order_for_vault ws_refusal',
  funds_or_permissions:
    'forbid_createSubAccount forbid_create_sub_account forbid_approveAgent forbid_approveAgent_unnamed forbid_approveBuilderFee forbid_approve_agent forbid_approve_builder_fee forbid_convert_to_multi_sig forbid_multiSig_wrapped_order forbid_sendAsset forbid_setUserAbstraction forbid_spot_transfer forbid_subAccountTransfer forbid_tokenDelegate forbid_transfer_main_sub forbid_transfer_swap_spot forbid_usdClassTransfer forbid_usdSend forbid_usd_class_transfer forbid_usd_transfer forbid_vaultTransfer forbid_vault_transfer forbid_withdraw forbid_withdraw3 loadMarkets ws_forbid_usdSend ws_forbid_withdraw',
  unsupported_action:
    'forbid_agent_set_abstraction forbid_setReferrer forbid_set_referrer forbid_twap forbid_twapOrder reserveRequestWeight',
  heartbeat: 'noop',
  auth_unknown_signer: 'forbid_twap_expiresAfter forbid_wrong_key',
}

/** Steps under one name in which clients send different actions: ccxt asks for its fee first. */
const named: Record<string, string> = {
  // Their stops leave too little room to fill, and get a tenth.
  ccxt__positionTpsl: 'resized',
  pysdk__positionTpsl: 'resized',
  ccxt__stop_market_freqtrade: 'resized',
  'ccxt-kpepe__stop_market_freqtrade': 'resized',
  'ccxt-nobuilder-builderok__market_buy': 'resized',
  ccxt__market_buy: 'funds_or_permissions',
  'ccxt-testnet__market_buy': 'funds_or_permissions',
  'ccxt-testnet__market_buy_2': 'resized',
  'ccxt-nobuilder-builderok__short_r': 'allowed',
  ccxt__short_r: 'funds_or_permissions',
  pysdk__short_r: 'resized',
  'ccxt-kpepe__short_r': 'funds_or_permissions',
  'ccxt-builderok__short_s': 'unsupported_action',
  'ccxt-nobuilder-builderok__short_s': 'allowed',
  'ccxt-kpepe__short_s': 'funds_or_permissions',
}

const byStep = new Map(
  Object.entries(verdicts).flatMap(([code, steps]) => steps.split(' ').map((step) => [step, code])),
)

function expectedCode({ name, step, rawBody }: Case): string | undefined {
  const code = named[name] ?? byStep.get(step)
  // A builder that the configuration does not name is removed, and that is a change.
  return code === 'allowed' && 'builder' in JSON.parse(rawBody).action ? 'resized' : code
}

const verdictOf = (code: string): string =>
  ['allowed', 'heartbeat'].includes(code) ? 'allow' : code === 'resized' ? 'resize' : 'veto'

const nonceOf = ({ rawBody }: Case): number => JSON.parse(rawBody).nonce
const cases: Case[] = [...recorded.cases].sort((left, right) => nonceOf(left) - nonceOf(right))

let world: RecordedWorld
beforeAll(async () => {
  world = await RecordedWorld.start(nonceOf(cases[0] as Case))
})
afterAll(() => world.close())

test('all 199 recorded requests are here', () => {
  expect(cases).toHaveLength(199)
  expect(cases.filter((each) => expectedCode(each) === undefined)).toEqual([])
})

describe('the verdict of the contract', () => {
  test.each(cases)('$name', async (each) => {
    const { rawBody, transport } = each
    await world.setTime(nonceOf(each) + 200)
    const { reply, decision } = await world.send(rawBody, transport)
    const code = expectedCode(each) ?? ''
    expect({ code: decision.code, text: decision.text }).toMatchObject({ code })
    expect(decision.verdict).toBe(verdictOf(code))
    expect(decision.via).toBe(transport)
    const isClient = each.expect.signer === recorded.clientAddress
    expect(decision.client).toBe(isClient ? recorded.clientAddress : null)
    expect(decision.nonce).toBe(isClient ? nonceOf(each) : null)
    if (isClient && each.expect.source !== undefined) {
      expect(decision.signed_as).toBe(each.expect.source === 'a' ? 'mainnet' : 'testnet')
    }
    // On paper a sign of life alone is answered as it is elsewhere: it is never sent.
    const isAnswered = code === 'heartbeat'
    expect(reply).toMatchObject({
      status: isAnswered ? 'ok' : 'err',
      code,
      verdict: verdictOf(code),
    })
    if (!isAnswered) expect(reply.response).toContain(`[${code}]: `)
    if (!isClient || verdictOf(code) === 'veto') return
    const again = await world.send(rawBody, transport)
    expect(again.decision).toMatchObject({ verdict: 'veto', code: 'auth_replay' })
  })

  test('and nothing of it reached the venue', async () => {
    expect(await world.venue.log()).toEqual([])
  })
})

import { expect, test } from 'vitest'
import { actionCatalog, actionEntry, actionTreatment } from './actionCatalog.ts'

/** The venue's own list, class by class. */
const listed = {
  trading:
    'order cancel cancelByCloid modify batchModify twapOrder twapCancel scheduleCancel noop userOutcome',
  risk_setting:
    'updateLeverage updateIsolatedMargin topUpIsolatedOnlyMargin agentSetAbstraction agentEnableDexAbstraction userSetAbstraction userDexAbstraction userPortfolioMargin reserveRequestWeight',
  moves_funds:
    'usdSend spotSend sendAsset usdClassTransfer withdraw3 sendToEvmWithData agentSendAsset vaultTransfer createVault vaultDistribute subAccountTransfer subAccountSpotTransfer cDeposit cWithdraw tokenDelegate linkStakingUser stakingLinkDisableTradingUser borrowLend hip3LiquidatorTransfer claimRewards gossipPriorityBid',
  grants_rights:
    'approveAgent approveBuilderFee convertToMultiSigUser createSubAccount vaultModify multiSig',
  admin: 'subAccountModify setReferrer registerReferrer setDisplayName spotUser evmUserModify',
  deployer:
    'perpDeploy spotDeploy activateOutcomeDeployer finalizeEvmContract authorizeAqav2Role CSignerAction CValidatorAction validatorL1Stream',
}

test('every action of the venue has its class, and nothing else is in the table', () => {
  const rows = Object.entries(listed).flatMap(([kind, types]) =>
    types.split(' ').map((type) => [type, kind] as const),
  )
  const table = Object.entries(actionCatalog).map(([type, entry]) => [type, entry.class] as const)
  expect(table.toSorted()).toEqual(rows.toSorted())
})

test('exactly ten actions are forwarded', () => {
  const types = Object.keys(actionCatalog).filter((type) => actionTreatment(type) === 'forwarded')
  expect(types).toEqual([
    'order',
    'cancel',
    'cancelByCloid',
    'modify',
    'batchModify',
    'scheduleCancel',
    'twapOrder',
    'twapCancel',
    'updateLeverage',
    'updateIsolatedMargin',
  ])
})

test.each([
  ['withdraw3', 'funds_or_permissions'],
  ['vaultTransfer', 'funds_or_permissions'],
  ['approveAgent', 'funds_or_permissions'],
  ['multiSig', 'funds_or_permissions'],
  ['userSetAbstraction', 'funds_or_permissions'],
  ['agentSetAbstraction', 'unsupported_action'],
  ['twapOrder', 'forwarded'],
  ['setReferrer', 'unsupported_action'],
  ['noop', 'heartbeat'],
  ['perpDeploy', 'unsupported_action'],
  ['withdraw4', 'unsupported_action'],
  ['toString', 'unsupported_action'],
  ['__proto__', 'unsupported_action'],
  ['Order', 'unsupported_action'],
])('%s is treated as %s', (type, treatment) => {
  expect(actionTreatment(type)).toBe(treatment)
})

test('an unknown name is its own class', () => {
  expect(actionEntry('withdraw4')).toEqual({ class: 'unknown', scheme: 'l1', isForwarded: false })
  expect(actionEntry('constructor').class).toBe('unknown')
})

/** Every action the venue knows, so that refusing one is a decision and never an accident. */

type ActionClass =
  'trading' | 'risk_setting' | 'moves_funds' | 'grants_rights' | 'admin' | 'deployer' | 'unknown'

/** How the venue signs it: by the account or an agent, by the account alone, or by several. */
export type SigningScheme = 'l1' | 'user' | 'multisig'

interface ActionEntry {
  readonly class: ActionClass
  readonly scheme: SigningScheme
  /** Guard judges it and may forward it; it forwards nothing else. */
  readonly isForwarded: boolean
}

const l1 = (kind: ActionClass): ActionEntry => ({ class: kind, scheme: 'l1', isForwarded: false })
const user = (kind: ActionClass): ActionEntry => ({
  class: kind,
  scheme: 'user',
  isForwarded: false,
})
const forwarded = (kind: ActionClass): ActionEntry => ({
  class: kind,
  scheme: 'l1',
  isForwarded: true,
})

export const actionCatalog = {
  order: forwarded('trading'),
  cancel: forwarded('trading'),
  cancelByCloid: forwarded('trading'),
  modify: forwarded('trading'),
  batchModify: forwarded('trading'),
  scheduleCancel: forwarded('trading'),
  twapOrder: forwarded('trading'),
  twapCancel: forwarded('trading'),
  noop: l1('trading'), // answered by Guard: a sign of life
  userOutcome: l1('trading'),

  updateLeverage: forwarded('risk_setting'),
  updateIsolatedMargin: forwarded('risk_setting'),
  topUpIsolatedOnlyMargin: l1('risk_setting'),
  agentSetAbstraction: l1('risk_setting'),
  agentEnableDexAbstraction: l1('risk_setting'),
  userSetAbstraction: user('risk_setting'),
  userDexAbstraction: user('risk_setting'),
  userPortfolioMargin: user('risk_setting'),
  reserveRequestWeight: l1('risk_setting'),

  usdSend: user('moves_funds'),
  spotSend: user('moves_funds'),
  sendAsset: user('moves_funds'),
  usdClassTransfer: user('moves_funds'),
  withdraw3: user('moves_funds'),
  sendToEvmWithData: user('moves_funds'),
  agentSendAsset: l1('moves_funds'),
  vaultTransfer: l1('moves_funds'),
  createVault: l1('moves_funds'),
  vaultDistribute: l1('moves_funds'),
  subAccountTransfer: l1('moves_funds'),
  subAccountSpotTransfer: l1('moves_funds'),
  cDeposit: user('moves_funds'),
  cWithdraw: user('moves_funds'),
  tokenDelegate: user('moves_funds'),
  linkStakingUser: user('moves_funds'),
  stakingLinkDisableTradingUser: user('moves_funds'),
  borrowLend: l1('moves_funds'),
  hip3LiquidatorTransfer: l1('moves_funds'),
  claimRewards: l1('moves_funds'),
  gossipPriorityBid: l1('moves_funds'),

  approveAgent: user('grants_rights'),
  approveBuilderFee: user('grants_rights'),
  convertToMultiSigUser: user('grants_rights'),
  createSubAccount: l1('grants_rights'),
  vaultModify: l1('grants_rights'),
  multiSig: { class: 'grants_rights', scheme: 'multisig', isForwarded: false },

  subAccountModify: l1('admin'),
  setReferrer: l1('admin'),
  registerReferrer: l1('admin'),
  setDisplayName: l1('admin'),
  spotUser: l1('admin'),
  evmUserModify: l1('admin'),

  perpDeploy: l1('deployer'),
  spotDeploy: l1('deployer'),
  activateOutcomeDeployer: l1('deployer'),
  finalizeEvmContract: l1('deployer'),
  authorizeAqav2Role: l1('deployer'),
  CSignerAction: l1('deployer'),
  CValidatorAction: l1('deployer'),
  validatorL1Stream: l1('deployer'),
} as const satisfies { readonly [type: string]: ActionEntry }

type KnownActionType = keyof typeof actionCatalog

const unknownAction: ActionEntry = { class: 'unknown', scheme: 'l1', isForwarded: false }

/** What is known of an action type; an unknown name is its own class, signed as L1 actions are. */
export function actionEntry(type: string): ActionEntry {
  return Object.hasOwn(actionCatalog, type) ? actionCatalog[type as KnownActionType] : unknownAction
}

/** How Guard treats a type: judged, answered as a sign of life, or refused with one of two reasons. */
export function actionTreatment(
  type: string,
): 'forwarded' | 'heartbeat' | 'funds_or_permissions' | 'unsupported_action' {
  const entry = actionEntry(type)
  if (entry.isForwarded) return 'forwarded'
  if (type === 'noop') return 'heartbeat'
  const isGrave =
    entry.scheme !== 'l1' || entry.class === 'moves_funds' || entry.class === 'grants_rights'
  return isGrave ? 'funds_or_permissions' : 'unsupported_action'
}

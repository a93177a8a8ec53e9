/** Every question and stream of the venue about one account, with all that each needs. */

export function everyQuestion(user: string): { readonly [key: string]: any }[] {
  const [coin, startTime] = ['ETH', 0]
  const candles = { coin, interval: '1h', startTime, endTime: 9e12 }
  const plain = [
    ...['allMids', 'allPerpMetas', 'meta', 'metaAndAssetCtxs', 'spotMeta', 'spotMetaAndAssetCtxs'],
    ...['perpDexs', 'outcomeMeta', 'predictedFundings', 'exchangeStatus', 'maxMarketOrderNtls'],
    ...['perpsAtOpenInterestCap', 'liquidatable', 'vaultSummaries', 'validatorSummaries'],
    ...['gossipRootIps', 'perpCategories', 'perpConciseAnnotations', 'perpDeployAuctionStatus'],
    ...['spotPairDeployAuctionStatus', 'validatorL1Votes', 'allBorrowLendReserveStates'],
  ]
  const ofUser = [
    ...['clearinghouseState', 'spotClearinghouseState', 'openOrders', 'frontendOpenOrders'],
    ...['historicalOrders', 'userFills', 'userRole', 'extraAgents', 'userRateLimit', 'userFees'],
    ...['userAbstraction', 'userDexAbstraction', 'portfolio', 'subAccounts', 'subAccounts2'],
    ...['webData2', 'referral', 'twapHistory', 'userTwapSliceFills', 'userVaultEquities'],
    ...['delegations', 'delegatorHistory', 'delegatorRewards', 'delegatorSummary', 'isVip'],
    ...['leadingVaults', 'legalCheck', 'spotDeployState', 'borrowLendUserState'],
    ...['userToMultiSigSigners', 'approvedBuilders'],
  ]
  const since = [
    ...['userFillsByTime', 'userFunding', 'userNonFundingLedgerUpdates'],
    ...['userTwapSliceFillsByTime', 'userBorrowLendInterest'],
  ]
  return [
    ...plain.map((type) => ({ type })),
    ...ofUser.map((type) => ({ type, user })),
    ...since.map((type) => ({ type, user, startTime })),
    ...['l2Book', 'recentTrades', 'perpAnnotation'].map((type) => ({ type, coin })),
    { type: 'candleSnapshot', req: candles },
    { type: 'fundingHistory', coin, startTime },
    { type: 'activeAssetData', user, coin },
    { type: 'orderStatus', user, oid: 1 },
    { type: 'marginTable', id: 51 },
    { type: 'maxBuilderFee', user, builder: user },
    { type: 'perpDexStatus', dex: '' },
    { type: 'perpDexLimits', dex: '' },
    { type: 'preTransferCheck', user, source: user },
    { type: 'vaultDetails', vaultAddress: user },
    { type: 'borrowLendReserveState', token: 0 },
    { type: 'tokenDetails', tokenId: '0x7317beb7cceed72ef0b346074cc8e7ab' },
  ]
}

export function everyStream(user: string): { readonly [key: string]: any }[] {
  const coin = 'ETH'
  return [
    ...['allMids', 'assetCtxs', 'allDexsAssetCtxs', 'spotAssetCtxs', 'fastAssetCtxs'].map(
      (type) => ({ type }),
    ),
    ...['l2Book', 'bbo', 'trades', 'activeAssetCtx'].map((type) => ({ type, coin })),
    { type: 'activeAssetCtx', coin: '@1' },
    { type: 'candle', coin, interval: '1m' },
    { type: 'activeAssetData', user, coin },
    ...[
      ...['clearinghouseState', 'allDexsClearinghouseState', 'openOrders', 'orderUpdates'],
      ...['userEvents', 'userFills', 'userFundings', 'userNonFundingLedgerUpdates'],
      ...['userHistoricalOrders', 'userTwapHistory', 'userTwapSliceFills', 'twapStates'],
      ...['spotState', 'notification', 'webData2', 'webData3'],
    ].map((type) => ({ type, user })),
  ]
}

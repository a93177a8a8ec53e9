import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isRecorded, recording } from './recordings.fixture.ts'
import { demoUser, TestVenue } from './simulator.fixture.ts'

/** Builder dexes as the live venue told of them, and the simulator with dexes of the same terms. */
describe.skipIf(!isRecorded)('recorded answers about builder dexes', () => {
  const hip3 = (name: string): any => recording(`dexes/hip3/${name}_mainnet.json`)
  const frame = (name: string): any => JSON.parse(recording('dexes/ws/mainnet.json').frames[name])
  const keys = (json: object): string[] => Object.keys(json)

  let venue: TestVenue
  beforeAll(async () => {
    venue = await TestVenue.start()
    const xyz = hip3('perp_dexs')[1]
    const caps = new Map(xyz.assetToStreamingOiCap)
    const multipliers = new Map(xyz.assetToFundingMultiplier)
    const markets = hip3('meta_xyz').universe.map(
      ({ marginTableId: _, ...market }: { marginTableId: number; name: string }) => ({
        ...{ ...market, mid: '100', cap: caps.get(market.name) ?? '1000000' },
        fundingMultiplier: multipliers.get(market.name) ?? '1',
      }),
    )
    const { name, fullName, deployer, feeRecipient } = xyz
    const { totalOiCap, oiSzCapPerPerp, maxTransferNtl } = hip3('perp_dex_limits_xyz')
    const limits = { totalOiCap, oiSzCapPerPerp, maxTransferNtl }
    await venue.control('reset', {
      frozen: true,
      dexes: [{ ...{ name, fullName, deployer, feeRecipient }, ...limits, markets }],
      accounts: [{ address: demoUser, equity: '0', dex_equity: { xyz: '0' } }],
    })
  })
  afterAll(() => venue.close())

  test('meta, field for field', async () => {
    const { universe, collateralToken } = await venue.info({ type: 'meta', dex: 'xyz' })
    const recorded = hip3('meta_xyz')
    expect(JSON.stringify(universe)).toBe(JSON.stringify(recorded.universe))
    expect(collateralToken).toBe(recorded.collateralToken)
  })

  test('perpDexs and limits', async () => {
    const [, told] = await venue.info({ type: 'perpDexs' })
    const [, recorded] = hip3('perp_dexs')
    expect(keys(told)).toEqual(keys(recorded))
    const { name, fullName, deployer, oracleUpdater, feeRecipient } = recorded
    expect(told).toMatchObject({ name, fullName, deployer, oracleUpdater, feeRecipient })
    const limits = await venue.info({ type: 'perpDexLimits', dex: 'xyz' })
    const { coinToOiCap, ...sums } = hip3('perp_dex_limits_xyz')
    expect(limits).toMatchObject(sums)
    expect(coinToOiCap).toEqual(expect.arrayContaining(limits.coinToOiCap))
    const status = await venue.info({ type: 'perpDexStatus', dex: 'xyz' })
    expect(keys(status)).toEqual(keys(hip3('perp_dex_status_xyz')))
  })

  test('contexts, of a market that trades and of one that is delisted', async () => {
    const [, told] = await venue.info({ type: 'metaAndAssetCtxs', dex: 'xyz' })
    const [meta, recorded] = hip3('meta_and_asset_ctxs_para')
    expect(keys(told[0])).toEqual(keys(recorded[0]))
    const nulls = (context: any) => keys(context).filter((key) => context[key] === null)
    const gone = (universe: any[]) => universe.findIndex(({ isDelisted }) => isDelisted === true)
    const { universe } = await venue.info({ type: 'meta', dex: 'xyz' })
    expect(nulls(told[gone(universe)])).toEqual(nulls(recorded[gone(meta.universe)]))
  })

  test('an idle market pays what the venue showed: half of the usual rate', async () => {
    const [context] = frame('assetCtxs').data.ctxs
    const [, [told]] = await venue.info({ type: 'metaAndAssetCtxs', dex: 'xyz' })
    expect(told.funding).toBe(context.funding)
  })

  test('an account with nothing on the dex', async () => {
    const told = await venue.info({ type: 'clearinghouseState', user: demoUser, dex: 'xyz' })
    const recorded = recording('dexes/perps/clearinghouse_xyz_empty_mainnet.json')
    expect({ ...told, time: 0 }).toEqual({ ...recorded, time: 0 })
  })

  test('frames of the socket', async () => {
    const socket = await venue.open()
    socket.subscribe({ type: 'allMids', dex: 'xyz' })
    socket.subscribe({ type: 'assetCtxs', dex: 'xyz' })
    socket.subscribe({ type: 'allDexsAssetCtxs' })
    socket.subscribe({ type: 'allDexsClearinghouseState', user: demoUser })
    socket.subscribe({ type: 'webData3', user: demoUser })
    await socket.settled()
    expect(socket.frames[0]).toEqual(frame('ack.allMids.xyz'))
    for (const [name, channel] of [
      ['allMids.xyz', 'allMids'],
      ['assetCtxs', 'assetCtxs'],
      ['allDexsAssetCtxs', 'allDexsAssetCtxs'],
      ['allDexsClearinghouseState', 'allDexsClearinghouseState'],
    ] as const) {
      const told = await socket.onChannel(channel)
      expect(keys(told.data)).toEqual(keys(frame(name).data))
    }
    const states = await socket.onChannel('allDexsClearinghouseState')
    const names = (rows: [string, unknown][]): string[] => rows.map(([name]) => name)
    const recorded = names(frame('allDexsClearinghouseState').data.clearinghouseStates)
    expect(recorded).toEqual(recorded.toSorted())
    expect(names(states.data.clearinghouseStates)).toEqual(['', 'xyz'])
    const web = await socket.onChannel('webData3')
    expect(web.data.perpDexStates[1]).toEqual(frame('webData3').data.perpDexStates[1])
  })
})

// The simulator that the suite meets: the accounts and the builder dexes that its tests ask about.
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { nodeProgram } from '../nodeProgram.mjs'

/** The suite's own account, from which its tests pay their short-lived ones. */
const privateKey = '0x0123456789012345678901234567890123456789012345678901234567890123'
const leader = `0x${'1e'.repeat(20)}`
const payer = '0x14791697260e4c9a71f18484c9f997b308e59325'

/** The simulator's code, bundled once; each call of the result starts a venue. */
export async function venueStarter(suite) {
  const root = resolve(import.meta.dirname, '..', '..')
  const outfile = join(root, 'dist', 'conformance.mjs')
  await build({ ...nodeProgram, entryPoints: [join(root, 'lab', 'sim', 'simulator.ts')], outfile })
  const { startSimulator } = await import(outfile)
  const sources = testSources(suite)
  return async () => {
    // The live venue's limits are why the suite pauses between its tests; here it does not.
    const unlimited = {
      connectionsMax: 1_000,
      newConnectionsPerMinute: 10_000,
      ws_max_users: 1_000,
    }
    const simulator = await startSimulator({
      ...{ port: 0, control: true, weightLimit: null, options: unlimited },
    })
    const control = async (path, body) => {
      const headers = { 'content-type': 'application/json' }
      const sent = { method: 'POST', body: JSON.stringify(body), headers }
      const answer = await fetch(`${simulator.url}/sim/${path}`, sent)
      if (answer.status !== 200) throw new Error(`/sim/${path}: ${await answer.text()}`)
    }
    const asked = world(sources)
    await control('reset', asked)
    const { url, wsUrl } = simulator
    const dexes = asked.dexes.map(({ name }) => name)
    const lie = (type, patch) =>
      control('fault', { where: 'info', kind: 'lie', match: { type }, patch, count: 0 })
    return { url, wsUrl, dexes, privateKey, lie, close: () => simulator.close() }
  }
}

function testSources(suite) {
  const folder = join(suite, 'tests', 'api')
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => readFileSync(join(folder, file), 'utf8'))
}

/** Every account that a test asks about. */
function userNames(sources) {
  const named = sources.flatMap((text) => [...text.matchAll(/\buser: "(0x[0-9a-fA-F]{40})"/g)])
  return [...new Set(named.map(([, name]) => name.toLowerCase()))].sort()
}

/** Every vault that a test acts on. */
function vaultNames(sources) {
  const named = sources.flatMap((text) => [
    ...text.matchAll(/\bvaultAddress: "(0x[0-9a-fA-F]{40})"/g),
  ])
  return [...new Set(named.map(([, name]) => name.toLowerCase()))].sort()
}

/** Every builder dex that a test sends money to. */
function dexNames(sources) {
  const named = sources.flatMap((text) => [...text.matchAll(/\bdestinationDex: "([a-z]+)"/g)])
  return [...new Set(named.map(([, name]) => name))].sort()
}

const dex = (name) => ({ name, markets: [market('ABC', 2, 10, '100')] })

const market = (name, szDecimals, maxLeverage, mid, rest = {}) => ({
  ...{ name, szDecimals, maxLeverage, mid, ...rest },
})
const tiers = (most, bound, less) => ({
  marginTiers: [
    { lowerBound: '0', maxLeverage: most },
    { lowerBound: bound, maxLeverage: less },
  ],
})

/** The markets that the tests name, in the forms that markets have. */
const markets = [
  market('BTC', 5, 40, '84213.5', tiers(40, '150000000', 20)),
  market('ETH', 4, 25, '2486.35', tiers(25, '100000000', 15)),
  market('SOL', 2, 20, '137.42', tiers(20, '70000000', 10)),
  market('HYPE', 2, 10, '41.873', tiers(10, '20000000', 5)),
  market('NEAR', 1, 10, '2.8345'),
  market('GALA', 0, 5, '0.014235'),
  market('MATIC', 1, 5, '0.37621', { isDelisted: true }),
  market('AXL', 1, 3, '0.30115', { isDelisted: true }),
  market('ANIME', 0, 3, '0.01934', { onlyIsolated: true }),
]

function world(sources) {
  const spot = [
    { coin: 'USDC', total: '1000000' },
    { coin: 'HYPE', total: '10000' },
  ]
  // Vaults that the tests know are led by somebody else.
  const vaults = vaultNames(sources)
  const names = new Set([...userNames(sources), ...vaults, leader])
  const users = [...names].map((address) => ({
    ...{ address, equity: '100000' },
    ...(vaults.includes(address) ? { vault_of: leader } : {}),
  }))
  const accounts = [{ address: payer, equity: '10000000', spot }, ...users]
  const dexes = dexNames(sources).map(dex)
  return { markets, dexes, accounts }
}

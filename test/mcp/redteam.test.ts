import { afterEach, expect, test } from 'vitest'
import { attackAgents } from '../../lab/commands/redteamAgents.ts'
import { mcpGroups, planted } from '../../lab/redteam/mcp/mcpAttack.ts'
import { mcpAttacks } from '../../lab/redteam/mcp/runMcpRedteam.ts'
import { resultLine } from '../../lab/redteam/report.ts'
import { Pen } from '../../lab/redteam/signing.ts'
import { markets } from '../../src/cli/cli.fixture.ts'
import { AgentWorld } from './world.fixture.ts'

let world: AgentWorld
afterEach(async () => {
  await world.close()
})

test('Guard holds against every attack of a model, and no secret is told', async () => {
  const odd = { name: planted, szDecimals: 2, maxLeverage: 5, mid: '10' }
  world = await AgentWorld.open({ markets: [...markets, odd] })
  const names = mcpAttacks.map(({ group, name }) => `${group}: ${name}`)
  expect(new Set(names).size).toBe(names.length)
  expect(names.length).toBeGreaterThanOrEqual(120)
  expect(new Set(mcpAttacks.map(({ group }) => group))).toEqual(new Set(mcpGroups))
  const pen = new Pen(world.crypto, world.clientKey)
  const report = await attackAgents({ url: world.url, pen, simUrl: world.simulator.url })
  expect(report.results.filter(({ outcome }) => outcome !== 'held').map(resultLine)).toEqual([])
  expect(report.counts.held).toBe(names.length)
}, 300_000)

import { expect, test } from 'vitest'
import { startSimulator } from './packagedSimulator.ts'
import { demoUser } from './simulator.fixture.ts'

const account = { address: demoUser, equity: '5000' }

test.each([
  [{ seed: 1.5 }, 'seed must be a whole number from 0 to'],
  [{ seed: 'abc' }, 'seed must be a whole number'],
  [{ network: 'devnet' }, 'network must be testnet or mainnet, got "devnet"'],
  [{ faucet: '-5' }, 'faucet must be a positive decimal text, or null, got "-5"'],
  [{ control: 'yes' }, 'control must be true or false'],
  [{ weightLimit: -1 }, 'weightLimit must be a whole number from 1 to 1000000000, or null'],
  [{ prot: 1 }, 'prot is not known; known are host, port'],
  [{ port: 70_000 }, 'port must be a whole number from 0 to 65535, got 70000'],
  [{ clock: {} }, 'clock must be an object with a function now'],
  [{ accounts: {} }, 'accounts must be a list'],
  [{ accounts: [null] }, 'accounts[0] must be an object'],
  [{ accounts: [account, { ...account, address: '0x1' }] }, 'accounts[1].address must be'],
  [{ accounts: [{ ...account, equity: 'x' }] }, 'accounts[0].equity must be a positive decimal'],
  [{ accounts: [{ ...account, agents: ['0x'] }] }, 'accounts[0].agents[0] must be an address'],
  [{ accounts: [{ ...account, mode: 'x' }] }, 'accounts[0].mode is not known; known are address'],
])('%j is refused by name: %s', async (settings, error) => {
  await expect(startSimulator(settings as object)).rejects.toThrow(error)
})

test('what is left out, or undefined, is as usual', async () => {
  const simulator = await startSimulator({ port: 0, weightLimit: null, accounts: [account] })
  expect(simulator.port).toBeGreaterThan(0)
  await simulator.close()
})

import type { McpServer } from '@modelcontextprotocol/server'
import { AgentContext } from '../../../src/mcp/context.ts'
import { AgentKey } from '../../../src/mcp/agentKey.ts'
import { openGuardPort } from '../../../src/mcp/guardPort.ts'
import { Nonces } from '../../../src/mcp/nonces.ts'
import { ReadShare } from '../../../src/mcp/readShare.ts'
import { Sender } from '../../../src/mcp/sender.ts'
import { toolsOf } from '../../../src/mcp/toolTable.ts'
import { Chance } from '../chance.ts'
import { keys } from '../keys.ts'
import type { World } from '../world.ts'
import { agentFetch, guardUrl } from './agentFetch.ts'
import { AgentOnce } from './agentOnce.ts'
import { nextCalls } from './agentMind.ts'
import type { Call, Seen } from './agentMind.ts'

type Run = (given: Call['given'], extra: { readonly mcpReq: unknown }) => Promise<unknown>
type Tools = ReadonlyMap<string, Run>

/** The agent gives up no call: what it has asked for goes on. */
const extra = { mcpReq: { signal: new AbortController().signal } }

/**
 * An agent that trades through the tools of `guard mcp` to the end of the world. It forgets, repeats
 * itself, asks several things at once and, now and then, is started anew.
 */
export class Agent {
  readonly #world: World
  readonly #chance: Chance
  readonly #everyMs: number
  #tools: Tools
  #seen: Seen = { oids: [], coins: [] }

  constructor(world: World) {
    this.#world = world
    this.#chance = new Chance(world.plan.seed, 'agent')
    this.#everyMs = this.#chance.pick([400, 2_000, 15_000])
    this.#tools = this.#served()
    // Between the two bots, whose keys are the first and the last.
    world.clientKeys = [keys.first, keys.agent, keys.second]
    world.oracle.agentOnce = new AgentOnce(world.crypto.secp256k1.addressOf(keys.agent))
  }

  start(): void {
    const { time } = this.#world
    time.after(this.#chance.whole(1, 2 * this.#everyMs), () => {
      if (this.#world.isHealed) return
      if (this.#chance.is(0.02)) this.#tools = this.#served()
      for (const { afterMs, ...call } of nextCalls(this.#chance, this.#seen)) {
        time.after(afterMs, () => {
          this.#call(call)
        })
      }
      this.start()
    })
  }

  /** A server that was just started: it remembers nothing of what was done before. */
  #served(): Tools {
    const { crypto, time } = this.#world
    const now = (): number => time.now
    const wait = (ms: number): Promise<void> => new Promise((resolve) => time.after(ms, resolve))
    const port = openGuardPort({ url: guardUrl, token: null, fetch: agentFetch(this.#world) })
    const key = new AgentKey(crypto, keys.agent)
    const nonces = new Nonces(now)
    const sender = new Sender(port, key, nonces, wait)
    const context = new AgentContext(port, new ReadShare(port, now), nonces, { key, sender })
    const tools = new Map<string, Run>()
    const server = {
      registerTool: (name: string, _: unknown, run: Run) => {
        tools.set(name, run)
      },
    }
    for (const tool of toolsOf(true, true)) tool.offer(server as unknown as McpServer, context)
    return tools
  }

  #call({ tool, given }: Omit<Call, 'afterMs'>): void {
    const world = this.#world
    world.trace.say(() => `agent ${tool} ${JSON.stringify(given)}`)
    void this.#tools
      .get(tool)?.(given, extra)
      .then((answer) => {
        const text = JSON.stringify(answer)
        world.checkSecrets(text)
        world.trace.say(() => `agent heard ${text.slice(0, 300)}`)
        this.#learn(answer as { readonly structuredContent?: Told })
      })
  }

  #learn({ structuredContent: told }: { readonly structuredContent?: Told }): void {
    const oids = told?.orders?.map(({ oid }) => oid)
    const coins = told?.positions?.map(({ coin }) => coin)
    if (oids !== undefined) this.#seen = { ...this.#seen, oids }
    if (coins !== undefined) this.#seen = { ...this.#seen, coins }
  }
}

/** What the agent takes from an answer: its open orders, its positions. */
interface Told {
  readonly orders?: readonly { readonly oid: number }[]
  readonly positions?: readonly { readonly coin: string }[]
}

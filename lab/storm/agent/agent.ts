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
import { nextCalls, seenAtFirst } from './agentMind.ts'
import type { Call, Seen, Temper } from './agentMind.ts'

type Run = (given: Call['given'], extra: { readonly mcpReq: unknown }) => Promise<unknown>
type Tools = ReadonlyMap<string, Run>

/** The agent gives up no call: what it has asked for goes on. */
const extra = { mcpReq: { signal: new AbortController().signal } }

/** What it says again so soon it says in any case; what comes later waits for no rest of the world. */
const soonMs = 20_000

/**
 * An agent that trades through the tools of `guard mcp` to the end of the world. It forgets, repeats
 * itself, asks several things at once and, now and then, is started anew.
 */
export class Agent {
  readonly #world: World
  readonly #chance: Chance
  readonly #everyMs: number
  readonly #temper: Temper
  #tools: Tools
  #seen: Seen = seenAtFirst

  constructor(world: World) {
    this.#world = world
    this.#chance = new Chance(world.plan.seed, 'agent')
    const drawn = this.#chance.pick([400, 2_000, 15_000])
    this.#everyMs = world.plan.agentEveryMs ?? drawn
    this.#temper = world.plan.agentEveryMs === null ? 'hasty' : 'slow'
    this.#tools = this.#served()
    // Between the two bots, whose keys are the first and the last.
    world.clientKeys = [keys.first, keys.agent, keys.second]
    world.oracle.agentOnce = new AgentOnce(world.crypto.secp256k1.addressOf(keys.agent))
  }

  start(): void {
    const { time } = this.#world
    time.after(this.#chance.whole(1, 2 * this.#everyMs), () => {
      if (!this.#world.isHealed) this.#goOn()
      this.start()
    })
  }

  #goOn(): void {
    if (this.#chance.is(0.02)) this.#tools = this.#served()
    for (const { afterMs, ...call } of nextCalls(this.#chance, this.#seen, this.#temper)) {
      this.#world.time.after(afterMs, () => {
        if (afterMs <= soonMs || !this.#world.isHealed) this.#call(call)
      })
    }
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
    const { life } = world
    const { idempotency_key: key } = given
    if (typeof key === 'string') this.#seen = { ...this.#seen, keys: [key] }
    world.trace.say(() => `agent ${tool} ${JSON.stringify(given)}`)
    void this.#tools
      .get(tool)?.(given, extra)
      .then((answer) => {
        const text = JSON.stringify(answer)
        world.checkSecrets(text)
        world.trace.say(() => `agent heard ${text.slice(0, 300)}`)
        const { structuredContent: told = {} } = answer as { readonly structuredContent?: Told }
        this.#learn(told)
        if (told.durable === true && life !== null && !life.isDead) world.acknowledgeKill()
      })
  }

  #learn({ orders, positions, market }: Told): void {
    const oids = orders?.map(({ oid }) => oid)
    const coins = positions?.map(({ coin }) => coin)
    if (oids !== undefined) this.#seen = { ...this.#seen, oids }
    if (coins !== undefined) this.#seen = { ...this.#seen, coins }
    if (market?.mid == null) return
    const mids = { ...this.#seen.mids, [market.coin]: Number(market.mid) }
    this.#seen = { ...this.#seen, mids }
  }
}

/** What the agent takes from an answer: its open orders, its positions, a price, that a kill is on disk. */
interface Told {
  readonly orders?: readonly { readonly oid: number }[]
  readonly positions?: readonly { readonly coin: string }[]
  readonly market?: { readonly coin: string; readonly mid: string | null } | null
  readonly durable?: boolean
}

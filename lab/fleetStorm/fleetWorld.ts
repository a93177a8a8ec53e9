import { leaseTimes } from '../../src/fleet/leaseTimes.ts'
import { Chance } from '../storm/chance.ts'
import { drained } from '../storm/turns.ts'
import { Fleet } from './fleet.ts'
import type { BrokenRule } from './fleetOracle.ts'
import type { Post } from './post.ts'
import { kinds } from './account.ts'

/** What became of one world. */
interface FleetResult {
  readonly seed: number
  /** Null where every rule held. */
  readonly broken: BrokenRule | null
  readonly opened: number
  /** How often each trouble was met. */
  readonly met: Readonly<Record<string, number>>
  readonly trace: readonly string[]
}

interface WorldOptions {
  readonly isTraced?: boolean
  /** Breaks something on purpose, before the world begins. */
  readonly sabotage?: (fleet: Fleet) => void
}

/** By when everything has settled once the last trouble is over; after a failover leases wait longer. */
const calmMs = 60_000
const calmAfterFailoverMs = 400_000
const unhurriedMs = 400

/** Runs the world of a seed to its end. */
export async function runFleetWorld(
  seed: number,
  options: WorldOptions = {},
): Promise<FleetResult> {
  const world = new FleetWorld(seed, options)
  return await world.run()
}

class FleetWorld {
  readonly #seed: number
  readonly #chance: Chance
  readonly #fleet: Fleet
  readonly #stormMs: number
  readonly #met: Record<string, number> = {}
  readonly #trace: string[] = []
  readonly #isTraced: boolean
  readonly #groups = ['desk', 'lab']
  #members = 0
  #opened = 0
  #hasFailedOver = false

  constructor(seed: number, { isTraced = false, sabotage }: WorldOptions) {
    this.#seed = seed
    this.#chance = new Chance(seed, 'fleet')
    this.#fleet = new Fleet(
      new Chance(seed, 'fleet network'),
      new Chance(seed, 'fleet queue of notifications'),
    )
    this.#stormMs = this.#chance.whole(30_000, this.#chance.is(0.2) ? 500_000 : 120_000)
    this.#isTraced = isTraced
    this.#setUp()
    sabotage?.(this.#fleet)
  }

  async run(): Promise<FleetResult> {
    this.#schedule()
    this.#schedulePutBack()
    const { time } = this.#fleet
    const calm = this.#hasFailedOver ? calmAfterFailoverMs : calmMs
    await this.#until(this.#stormMs)
    this.#makeGood()
    await this.#until(this.#stormMs + calm)
    if (this.#fleet.broken === null) {
      this.#fleet.watched(() => {
        this.#fleet.oracle.atTheEnd()
      })
    }
    for (const post of this.#fleet.posts) this.#fleet.end(post)
    if (this.#met['putBack'] !== undefined && !this.#fleet.oracle.isUnaware)
      this.#met['toldOfIt'] = 1
    this.#note(`the end, ${time.elapsed} ms`)
    return {
      ...{ seed: this.#seed, broken: this.#fleet.broken, opened: this.#opened },
      ...{ met: this.#met, trace: this.#trace },
    }
  }

  /** Lets time pass up to then, or up to the first rule that is broken. */
  async #until(elapsed: number): Promise<void> {
    const { time } = this.#fleet
    while (time.nextAt() <= elapsed && this.#fleet.broken === null) {
      time.moveTo(time.nextAt())
      while (time.runDue()) await drained()
    }
  }

  #setUp(): void {
    const count = this.#chance.whole(2, 8)
    for (let n = 0; n < count; n += 1) {
      this.#fleet.start(this.#newMember(), this.#fleet.newHome())
    }
    const scopes = ['fleet', 'group:desk', 'group:lab']
    this.#fleet.setLimit('fleet', 'gross_value', this.#chance.whole(1, 9) * 100_000)
    for (let n = this.#chance.whole(0, 3); n > 0; n -= 1) {
      const usd = this.#chance.whole(0, 60) * 10_000
      this.#fleet.setLimit(this.#chance.pick(scopes), this.#chance.pick(kinds), usd)
    }
  }

  #newMember(): string {
    this.#members += 1
    const member = `m${this.#members}`
    this.#fleet.addMember(member, `0x${this.#members}`, this.#chance.pick(this.#groups))
    return member
  }

  /** Trades all the time, and troubles now and then; everything is drawn before it begins. */
  #schedule(): void {
    for (let at = 0; at < this.#stormMs; at += this.#chance.whole(20, unhurriedMs)) {
      const [who, worth] = [this.#chance.next(), this.#chance.whole(1, 3_000) * 100]
      const [coin, closes] = [this.#chance.pick(['ETH', 'BTC'] as const), this.#chance.is(0.35)]
      this.#fleet.time.at(at, () => {
        this.#trade(who, worth, coin, closes)
      })
    }
    const names = Object.keys(this.#troubles)
    const most = this.#chance.whole(1, 14)
    for (let n = 0; n < most; n += 1) {
      const at = this.#chance.whole(1_000, this.#stormMs)
      const name = this.#chance.pick(names)
      if (name === 'failover') this.#hasFailedOver = true
      const [who, share, ms] = [this.#chance.next(), this.#chance.next(), this.#chance.next()]
      this.#fleet.time.at(at, () => {
        this.#met[name] = (this.#met[name] ?? 0) + 1
        this.#note(`${name} ${who.toFixed(3)}`)
        this.#troubles[name]?.(who, share, ms)
      })
    }
  }

  /**
   * The store goes back to a copy of its disk, in some worlds, and is told so by who had heard of it since.
   * Whoever is silent since then is counted by that copy once the time of a lease is over, so that a world
   * ends before.
   */
  #schedulePutBack(): void {
    const chance = new Chance(this.#seed, 'fleet put back')
    if (!chance.is(0.25)) return
    this.#hasFailedOver = true
    const earliest = Math.max(2_000, this.#stormMs - leaseTimes.spareMs)
    const at = chance.whole(earliest, this.#stormMs)
    const copiedAt = chance.whole(Math.max(at - 90_000, 0), at)
    const downMs = chance.is(0.5) ? chance.whole(0, 4_000) : chance.whole(0, 40_000)
    const { time, store } = this.#fleet
    let heard = structuredClone(store.state)
    time.at(copiedAt, () => {
      heard = structuredClone(store.state)
    })
    time.at(at, () => {
      this.#met['putBack'] = 1
      this.#note(`putBack by ${at - copiedAt} ms`)
      store.restart(heard)
      this.#fleet.oracle.wentBack(true)
      this.#storeDown(downMs)
    })
  }

  #trade(who: number, worth: number, coin: 'ETH' | 'BTC', closes: boolean): void {
    const post = this.#postAt(who)
    if (post === null) return
    if (closes) {
      post.account.closeOne()
      return
    }
    const before = post.account.flights.size
    this.#fleet.open(post, worth, coin)
    if (post.account.flights.size > before) {
      this.#opened += 1
      this.#note(`${post.name} opens ${worth} of ${coin}`)
    }
  }

  /** Each: who is met, how much, and for how long, drawn from 0 to 1. */
  readonly #troubles: Readonly<Record<string, (who: number, share: number, ms: number) => void>> = {
    cut: (who, _share, ms) => {
      this.#onLink(who, ms < 0.3 ? ms * 1_300_000 : ms * 40_000, (link, isOn) => {
        link.isCut = isOn
      })
    },
    lostAnswers: (who, _share, ms) => {
      this.#onLink(who, ms * 30_000, (link, isOn) => {
        link.losesAnswers = isOn
      })
    },
    slow: (who, share, ms) => {
      this.#onLink(who, ms * 60_000, (link, isOn) => {
        link.slowMs = isOn ? 5 + share * 6_000 : 5
      })
    },
    storeDown: (_who, share, ms) => {
      this.#storeDown(ms < 0.2 ? share * 330_000 : ms * 40_000)
    },
    failover: (_who, share, ms) => {
      const heard = structuredClone(this.#fleet.store.state)
      this.#fleet.time.after(share * 3_000, () => {
        this.#fleet.store.failOver(heard)
        this.#fleet.oracle.wentBack()
        this.#storeDown(ms * 10_000)
      })
    },
    stopped: (who, share, ms) => {
      const post = this.#postAt(who)
      if (post === null) return
      post.machine.stop(share < 0.5)
      post.trouble.begin()
      this.#fleet.time.after(ms * 90_000, () => {
        post.trouble.end()
        post.machine.goOn()
      })
    },
    crash: (who, share, ms) => {
      const post = this.#postAt(who)
      if (post === null) return
      this.#fleet.end(post)
      if (share < 0.8) this.#restart(post, post.home, ms * ms * 60_000)
    },
    secondHome: (who, _share, ms) => {
      const post = this.#postAt(who)
      if (post !== null) this.#restart(post, this.#fleet.newHome(), ms * 20_000)
    },
    kill: (who, share) => {
      this.#fleet.kill(share < 0.5 ? 'fleet' : `group:${this.#groups[who < 0.5 ? 0 : 1] ?? ''}`)
      this.#fleet.time.after(this.#chance.whole(3_000, 30_000), () => {
        for (const post of this.#fleet.posts) this.#fleet.release(post)
      })
    },
    clear: () => {
      this.#fleet.clear('fleet')
    },
    limit: (who, share) => {
      const budgets = [...this.#fleet.store.state.budgets.values()]
      const budget = budgets[Math.floor(who * budgets.length)]
      if (budget === undefined) return
      this.#fleet.setLimit(budget.scope, budget.kind, Math.floor(share * 80) * 10_000)
    },
    retire: (who, share, ms) => {
      const post = this.#postAt(who)
      const row = this.#fleet.store.state.members.get(post?.member ?? '')
      if (post === null || row === undefined || row.retiredMs !== null) return
      this.#fleet.retire(post.member)
      if (share < 0.5) return
      const member = `${post.member}+`
      this.#fleet.time.after(ms * 5_000, () => {
        const isTaken = [...this.#fleet.store.state.members.values()].some(
          (each) => each.account === row.account && each.retiredMs === null,
        )
        // A server that went back knows nothing of the retirement, and takes no second member.
        if (isTaken) return
        this.#fleet.addMember(member, row.account, row.group, post.account)
        for (const each of this.#fleet.posts) if (each.member === post.member) this.#fleet.end(each)
        this.#fleet.start(member, this.#fleet.newHome())
      })
    },
  }

  #restart(post: Post, home: Post['home'], afterMs: number): void {
    this.#fleet.time.after(afterMs, () => {
      const isTaken = this.#fleet.posts.some((each) => each.isAlive && each.home === home)
      // Whoever came after the last trouble would not have had its time.
      if (!isTaken && this.#fleet.time.elapsed < this.#stormMs) this.#fleet.start(post.member, home)
    })
  }

  #onLink(who: number, ms: number, set: (link: Post['link'], isOn: boolean) => void): void {
    const post = this.#postAt(who)
    if (post === null) return
    set(post.link, true)
    post.trouble.begin()
    this.#fleet.time.after(ms, () => {
      set(post.link, false)
      post.trouble.end()
    })
  }

  #storeDown(ms: number): void {
    this.#fleet.net.isDown = true
    this.#fleet.net.breakAll()
    this.#fleet.storeTrouble.begin()
    this.#fleet.time.after(ms, () => {
      this.#fleet.store.restart()
      this.#fleet.net.isDown = false
      this.#fleet.storeTrouble.end()
    })
  }

  /** Every trouble is over. */
  #makeGood(): void {
    this.#fleet.net.isDown = false
    for (const { link, machine } of this.#fleet.posts) {
      Object.assign(link, { isCut: false, losesAnswers: false, slowMs: 5 })
      machine.goOn()
    }
  }

  #postAt(who: number): Post | null {
    const alive = this.#fleet.posts.filter(({ isAlive }) => isAlive)
    return alive[Math.floor(who * alive.length)] ?? null
  }

  #note(text: string): void {
    if (this.#isTraced) this.#trace.push(`${this.#fleet.time.elapsed.toFixed(0)} ${text}`)
  }
}

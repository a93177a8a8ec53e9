import { writerTimes } from '../../src/fleet/leaseTimes.ts'
import type { Chance } from '../storm/chance.ts'
import { VirtualTime } from '../storm/virtualTime.ts'
import { Account, kinds } from './account.ts'
import { BrokenRule, FleetOracle } from './fleetOracle.ts'
import { Home } from './home.ts'
import { Machine } from './machine.ts'
import { ModelGuard } from './modelGuard.ts'
import { Trouble } from './post.ts'
import type { Post } from './post.ts'
import { StoreModel } from './storeModel.ts'
import { StoreNet } from './storeNet.ts'
import type { Link } from './storeNet.ts'
import type { Cents } from './storeState.ts'
import { scopesOf } from './storeState.ts'

const startMs = 1_800_000_000_000
/** A Guard that is trying again, late, has heard of a kill after so long at most. */
const settledMs = 15_000
const heardWithinMs = 2_000

/** A fleet, its store, and what people do to it. */
export class Fleet {
  readonly time = new VirtualTime(startMs)
  readonly store = new StoreModel(() => this.time.now)
  readonly net: StoreNet
  readonly oracle = new FleetOracle(this)
  readonly homes: Home[] = []
  posts: Post[] = []
  readonly storeTrouble = new Trouble(this.time)
  readonly #chance: Chance
  /** Whether the server's queue of notifications is full when a kill is raised. */
  readonly #queue: Chance
  readonly #accounts = new Map<string, Account>()
  readonly #writtenOff = new Map<Account, Map<string, Cents>>()
  readonly #clearedMs = new Map<string, number>()
  #runs = 0
  #broken: BrokenRule | null = null

  constructor(chance: Chance, queue: Chance) {
    this.#chance = chance
    this.#queue = queue
    this.net = new StoreNet(this.time, chance, this.store)
    this.net.onAnswered = () => {
      this.watched(() => {
        this.oracle.look()
      })
    }
    this.net.onHeard = (machine, epoch) => {
      const post = this.posts.find((each) => each.machine === machine)
      if (post !== undefined) post.heardEpoch = Math.max(post.heardEpoch, epoch)
    }
  }

  /** The first rule that was broken; null while none was. */
  get broken(): BrokenRule | null {
    return this.#broken
  }

  /** Runs it, and remembers the first rule that it broke. */
  watched(task: () => void): void {
    try {
      task()
    } catch (error) {
      if (!(error instanceof BrokenRule)) throw error
      this.#broken ??= error
    }
  }

  accountOf(member: string): Account {
    const account = this.#accounts.get(member)
    if (account === undefined) throw new Error(`nobody is called ${member}`)
    return account
  }

  writtenOff(account: Account, kind: string): Cents {
    return this.#writtenOff.get(account)?.get(kind) ?? 0
  }

  wasWrittenOff(account: Account): boolean {
    return this.#writtenOff.has(account)
  }

  addMember(
    member: string,
    address: string,
    group: string,
    account = new Account(this.time),
  ): void {
    this.#accounts.set(member, account)
    this.store.add(member, address, group)
  }

  /** Whether somebody was retired so lately that its Guard may still open by what it held. */
  get hasJustRetired(): boolean {
    const sinceMs = this.time.now - writerTimes.heldMs - writerTimes.signedMs
    return [...this.store.state.members.values()].some(
      ({ retiredMs }) => retiredMs !== null && retiredMs >= sinceMs,
    )
  }

  retire(member: string): void {
    const account = this.accountOf(member)
    const writeOff = (): void => {
      this.#writtenOff.set(account, new Map(kinds.map((kind) => [kind, account.used(kind)])))
    }
    writeOff()
    // What its Guard opens by its last right is kept free for it until then, and written off as well.
    this.time.after(writerTimes.heldMs + writerTimes.signedMs, writeOff)
    this.store.retire(member)
  }

  newHome(): Home {
    const home = new Home(`home-${this.homes.length}`)
    this.homes.push(home)
    return home
  }

  /** Starts a Guard that acts as this member, in this home. */
  start(member: string, home: Home): Post {
    this.#runs += 1
    const name = `${member}/${home.instance}/run-${this.#runs}`
    const account = this.accountOf(member)
    const address = this.store.state.members.get(member)?.account ?? ''
    const machine = new Machine(this.time)
    machine.skewMs = this.#chance.whole(-100, 100)
    const link: Link = { isCut: false, losesAnswers: false, slowMs: 5 }
    const end = (): void => {
      this.end(post)
    }
    const guard = new ModelGuard({
      ...{ machine, home, account, address, run: name, onEnd: end },
      open: this.net.doorOf(member, machine, link),
      ...{ diskMs: this.#chance.whole(0, 300), closeMs: this.#chance.whole(50, 9_000) },
    })
    const post: Post = {
      ...{ name, member, address, account, home, machine, link, guard, isAlive: true },
      ...{ heardEpoch: 0, releasedEpoch: home.obeyed?.epoch ?? 0 },
      trouble: new Trouble(this.time),
    }
    if (home.isLatched) post.releasedEpoch = 0
    this.posts.push(post)
    machine.after(this.#chance.whole(0, 3_000), () => {
      guard.see()
    })
    return post
  }

  /** The Guard of this post dies as by `kill -9`: it says nothing to the store. */
  end(post: Post): void {
    post.isAlive = false
    post.machine.end()
  }

  release(post: Post): void {
    if (!post.isAlive || !post.machine.isRunning || !post.home.isLatched) return
    post.guard.release()
    post.releasedEpoch = Math.max(post.guard.obeyed, post.releasedEpoch)
  }

  /** Tries to open, and what leaves arrives some time later, or too late. */
  open(post: Post, worth: Cents, coin: 'ETH' | 'BTC'): void {
    if (!post.isAlive) return
    const flight = post.guard.tryOpen({ worth, coin })
    if (flight === null) return
    this.watched(() => {
      this.oracle.leaves(post, flight)
    })
    const delayMs = this.#chance.is(0.1)
      ? this.#chance.whole(0, 30_000)
      : this.#chance.whole(5, 400)
    post.account.fly(flight, delayMs)
  }

  setLimit(scope: string, kind: string, usd: Cents): void {
    if (!this.#isAnybodyIn(scope)) return
    this.oracle.limitSet(scope, kind, usd)
    this.store.setLimit(scope, kind, usd)
  }

  /** Raises a kill, and looks two seconds later who has obeyed. */
  kill(scope: string): void {
    if (!this.#isAnybodyIn(scope)) return
    const epoch = this.store.kill(scope, 'a kill')
    const raisedMs = this.time.elapsed
    if (this.#queue.is(0.7)) this.net.notifyAll()
    this.time.after(heardWithinMs, () => {
      if (!this.storeTrouble.isOverSince(raisedMs - settledMs)) return
      // Who had not heard of it by then is not latched by it.
      if ((this.#clearedMs.get(scope) ?? -Infinity) >= raisedMs) return
      for (const post of this.posts) {
        const row = this.store.state.members.get(post.member)
        if (!post.isAlive || !post.machine.isRunning || row?.retiredMs !== null) continue
        if (!scopesOf(row).includes(scope) || !post.trouble.isOverSince(raisedMs - settledMs))
          continue
        if (post.guard.obeyed < epoch) {
          this.#broken ??= new BrokenRule('heard', `${post.name} has not obeyed epoch ${epoch}`)
        }
      }
    })
  }

  clear(scope: string): void {
    this.#clearedMs.set(scope, this.time.elapsed)
    this.store.clear(scope)
  }

  /** Whether the scope has a member: the store refuses a kill or a limit for one that has none. */
  #isAnybodyIn(scope: string): boolean {
    const members = [...this.store.state.members.values()]
    return members.some((each) => each.retiredMs === null && scopesOf(each).includes(scope))
  }
}

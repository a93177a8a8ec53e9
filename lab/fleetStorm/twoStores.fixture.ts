import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { Chance } from '../storm/chance.ts'
import type { Answer, RealStore } from './realStore.fixture.ts'
import { normal, shapeOf, textOrNull, told } from './storeAnswers.fixture.ts'
import type { ModelRow, Told } from './storeAnswers.fixture.ts'
import { StoreModel } from './storeModel.ts'
import { centsOf, textOf } from './storeState.ts'
import type { StoreState } from './storeState.ts'

/** The whole of both is compared so often; every answer always is. */
const compareEvery = 10
const startMs = 1_800_000_000_000
const groups = ['desk', 'lab'] as const
const kinds = ['open_risk', 'gross_value', 'coin_value:ETH'] as const
const nothing = '00'.repeat(32)

interface Line {
  readonly seq: number
  readonly at_ms: number
  readonly kind: string
  readonly hash: string
  readonly prev: string
  readonly line: string
}

/** A home of a member, as it speaks to the store. */
interface Speaker {
  readonly member: string
  readonly account: string
  readonly instance: string
  readonly journal: Line[]
  run: string
  epoch: number
  turn: number
  copied: number
  answer: number
}

type Values = readonly (string | number | boolean | null)[]

/** The same calls on the model and on the real store. */
export class TwoStores {
  readonly asked = new Map<string, number>()
  readonly #chance: Chance
  readonly #seed: number
  readonly #real: RealStore
  readonly #model: StoreModel
  readonly #members: { name: string; account: string; group: string }[] = []
  readonly #speakers: Speaker[] = []
  #nowMs = startMs
  #heard: StoreState | null = null
  #calls = 0
  #names = 0
  /** By which the last kill was asked for; asked for again it is raised once. */
  #request = ''

  constructor(seed: number, real: RealStore) {
    this.#seed = seed
    this.#chance = new Chance(seed, 'store model')
    this.#real = real
    this.#model = new StoreModel(() => this.#nowMs)
  }

  async run(calls: number): Promise<void> {
    await this.#real.begin(this.#nowMs)
    for (let n = 1; n <= 4; n += 1) {
      await this.#add(`0x${String(n).repeat(40)}`, groups[n % 2] ?? 'desk')
    }
    await this.#setLimit()
    const names = Object.keys(this.#draws)
    const weighted = names.flatMap((name) => Array<string>(this.#weights[name] ?? 1).fill(name))
    for (this.#calls = 1; this.#calls <= calls; this.#calls += 1) {
      await this.#draws[this.#chance.pick(weighted)]?.()
      if (this.#calls % compareEvery === 0 || this.#calls === calls)
        await this.#compare('the state')
    }
  }

  readonly #weights: Readonly<Record<string, number>> = {
    ...{ time: 8, renew: 10, tell: 9, copy: 8, begin: 2, beat: 2, acknowledge: 2 },
  }

  readonly #draws: Readonly<Record<string, () => Promise<void>>> = {
    time: () => this.#pass(),
    join: () => this.#join(),
    beat: async () => {
      await this.#ask(this.#who(), 'select scope, epoch::text, reason from guard.beat()', [])
    },
    acknowledge: () => this.#acknowledge(),
    begin: async () => {
      const who = this.#who()
      const rows = await this.#ask(who, 'select guard.begin_leases()::text as turn', [])
      who.turn = Number(rows[0]?.['turn'] ?? who.turn)
    },
    renew: () => this.#renew(),
    tell: () => this.#tell(),
    leave: async () => {
      const who = this.#who()
      const epoch = this.#chance.is(0.8) ? who.epoch : who.epoch + 1
      await this.#ask(who, 'select guard.leave_writer($1, $2, $3)', [who.run, epoch, '{}'])
    },
    copied: async () => {
      const who = this.#who()
      const text = 'select guard.copied_by($1, $2, $3)::text as last_seq'
      const rows = await this.#ask(who, text, [who.instance, 'testnet', who.account])
      who.copied = Number(rows[0]?.['last_seq'] ?? who.copied)
    },
    copy: () => this.#copy(),
    limit: () => this.#setLimit(),
    unlimit: () => this.#removeLimit(),
    kill: () => this.#kill(),
    clear: async () => {
      const scope = this.#scope()
      await this.#both('clear_kill', 'select guard.clear_kill($1)::text as epoch', [scope], () =>
        textOrNull(this.#model.clear(scope)),
      )
    },
    retire: () => this.#retire(),
    failover: () => this.#failOver(),
    restart: async () => {
      const heard = this.#chance.is(0.5) ? this.#heard : null
      this.#met(heard === null ? 'restart' : 'put back')
      this.#model.restart(heard ?? undefined)
      await this.#real.restart(heard !== null)
      await this.#compare('after a restart')
    },
  }

  async #pass(): Promise<void> {
    const bounds = [1, 999, 4_999, 5_000, 9_999, 10_000, 14_999, 15_000, 15_001, 60_000, 300_000]
    const some = this.#chance.whole(0, 3_000)
    this.#nowMs += this.#chance.is(0.2) ? this.#chance.pick(bounds) : some
    await this.#real.setTime(this.#nowMs)
  }

  async #join(): Promise<void> {
    const who = this.#who()
    const values = ['testnet', who.account, '1', 'h', 'c', this.#someEpoch()]
    await this.#ask(
      who,
      'select name, group_name from guard.join_fleet($1, $2, $3, $4, $5, $6)',
      values,
    )
  }

  async #acknowledge(): Promise<void> {
    const flat = this.#chance.is(0.5) ? this.#nowMs : null
    const values = [this.#someEpoch(), this.#nowMs, flat]
    await this.#ask(this.#who(), 'select guard.acknowledge($1, $2, $3)', values)
  }

  /** Asks about most budgets that there are, with any figures at all. */
  async #renew(): Promise<void> {
    const who = this.#who()
    const budgets = [...this.#model.state.budgets.values()]
    const asks = budgets
      .filter(() => this.#chance.is(0.85))
      .map(({ scope, kind, set }) => {
        const lease = this.#model.state.leases.get(`${who.member} ${scope} ${kind}`)
        const used = this.#chance.whole(0, Math.floor(set / this.#chance.pick([1, 3, 8])))
        const most = Math.max(set, lease?.held ?? 0)
        const keep = this.#chance.pick([lease?.held ?? 0, used, this.#chance.whole(0, most)])
        const want = this.#chance.pick([used, set, this.#chance.whole(0, 2 * set)])
        return { scope, kind, used: textOf(used), want: textOf(want), keep: textOf(keep) }
      })
    const turn = this.#chance.is(0.9) ? who.turn : who.turn - 1
    const text =
      'select scope, kind, held::text, budget::text, target::text, was_asked from guard.renew_leases($1, $2)'
    const rows = await this.#ask(who, text, [String(turn), JSON.stringify(asks)])
    for (const row of rows) {
      if (row['was_asked'] !== true) this.#met('renew_leases not asked')
      else if (centsOf(String(row['held'])) > centsOf(String(row['target'])))
        this.#met('renew_leases less')
      else this.#met('renew_leases held')
    }
  }

  /** Mostly as the run that it is; now and then as a new one, or with an epoch that nobody gave it. */
  async #tell(): Promise<void> {
    const who = this.#who()
    if (this.#chance.is(0.15)) {
      who.run = `run-${this.#calls}`
      who.epoch = 0
      who.answer = 0
    }
    const epoch = this.#chance.is(0.95) ? who.epoch : who.epoch + this.#chance.whole(0, 2)
    const text =
      'select outcome, epoch::text, is_own, wait_ms::text, answer::text, left_word, left_known from guard.keep_writer($1, $2, $3, $4, $5, $6, $7)'
    const word = this.#chance.pick(['{}', '{"latch":{"reason":"why","at":1}}'])
    const [holds, heeded] = [this.#chance.is(0.5), this.#chance.is(0.3)]
    const answer = this.#chance.is(0.97) ? who.answer : who.answer + this.#chance.whole(-2, 2)
    const values = [who.instance, who.run, epoch, holds, heeded, word, answer]
    const rows = await this.#ask(who, text, values)
    if (typeof rows[0]?.['left_known'] === 'boolean') {
      this.#met('keep_writer left')
    }
    const outcome = rows[0]?.['outcome']
    if (outcome === 'held') {
      who.epoch = Number(rows[0]?.['epoch'])
      who.answer = Number(rows[0]?.['answer'])
    }
    if (outcome === 'lost') who.epoch = 0
  }

  /** What is next in its journal, or what is known already, or too far ahead, or from another past. */
  async #copy(): Promise<void> {
    const who = this.#who()
    for (let more = this.#chance.whole(0, 4); more > 0; more -= 1) this.#append(who, '')
    if (this.#chance.is(0.1)) {
      who.journal.splice(this.#chance.whole(0, who.journal.length))
      for (let more = 2; more > 0; more -= 1) this.#append(who, `again ${this.#calls}`)
    }
    const from = Math.max(who.copied + (this.#chance.is(0.8) ? 0 : this.#chance.whole(-3, 2)), 0)
    const rows = who.journal.slice(from, from + this.#chance.whole(1, 6))
    if (rows.length === 0) return
    const text = 'select outcome, last_seq::text from guard.copy_events($1, $2, $3)'
    const values = [who.instance, JSON.stringify(rows), false]
    const answer = await this.#ask(who, text, values)
    who.copied = Number(answer[0]?.['last_seq'] ?? who.copied)
  }

  async #setLimit(): Promise<void> {
    const [scope, kind] = [this.#scope(), this.#chance.pick(kinds)]
    const usd = this.#chance.whole(0, 12) * 10_000 + this.#chance.whole(0, 99)
    const text = 'select 1 as done from guard.set_limit($1, $2, $3)'
    await this.#both('set_limit', text, [scope, kind, textOf(usd)], () => {
      this.#model.setLimit(scope, kind, usd)
      return [{ done: 1 }]
    })
  }

  async #removeLimit(): Promise<void> {
    if (this.#chance.is(0.6)) return
    const [scope, kind] = [this.#scope(), this.#chance.pick(kinds)]
    const text = 'select holders::int as holders from guard.remove_limit($1, $2)'
    await this.#both('remove_limit', text, [scope, kind], () => {
      const holders = this.#model.removeLimit(scope, kind)
      return holders === null ? [] : [{ holders }]
    })
  }

  async #kill(): Promise<void> {
    const scope = this.#scope()
    // Whether anybody is notified is for the network: the store raises the same kill.
    const name = this.#chance.pick(['raise_kill', 'raise_kill_silently'])
    const request = this.#chance.is(0.2) ? this.#request : `r-${this.#seed}-${this.#calls}`
    this.#request = request
    const text = `select guard.${name}($1, $2, $3)::text as epoch`
    await this.#both(name, text, [scope, 'why', request], () =>
      textOrNull(this.#model.kill(scope, 'why', request)),
    )
  }

  /** Ends a member, also one that has ended; the account comes back under another name, or later. */
  async #retire(): Promise<void> {
    if (this.#chance.is(0.5)) return
    const member = this.#chance.pick(this.#members)
    const text = 'select count(*)::int as gone from guard.retire_member($1)'
    await this.#both('retire_member', text, [member.name], () => [
      { gone: this.#model.retire(member.name) ? 1 : 0 },
    ])
    const isTaken = [...this.#model.state.members.values()].some(
      ({ account, retiredMs }) => account === member.account && retiredMs === null,
    )
    if (!isTaken && this.#chance.is(0.7)) await this.#add(member.account, member.group)
  }

  /** A replica has what it had heard; whoever was added since is no member there. */
  async #failOver(): Promise<void> {
    if (this.#heard === null || this.#chance.is(0.6)) {
      this.#heard = structuredClone(this.#model.state)
      await this.#real.copyToReplica()
      return
    }
    this.#met('failover')
    this.#model.failOver(this.#heard)
    await this.#real.failOver()
    await this.#compare('after a failover')
  }

  async #add(account: string, group: string): Promise<void> {
    this.#names += 1
    const name = `s${this.#seed}m${this.#names}`
    this.#met('add_member')
    this.#members.push({ name, account, group })
    this.#model.add(name, account, group)
    await this.#real.addMember(name, account, group)
    // A home outlives a membership, as where a member is added anew for the same machine.
    const homes = this.#speakers.filter((each) => each.account === account)
    for (let n = 0; n < 2; n += 1) {
      const old = homes[n]
      const instance = old?.instance ?? `home-${this.#speakers.length}`
      const journal = old?.journal ?? []
      this.#speakers.push({
        ...{ member: name, account, instance, journal, run: `first of ${instance} as ${name}` },
        ...{ epoch: 0, turn: 0, copied: 0, answer: 0 },
      })
    }
  }

  #append({ journal, instance }: Speaker, text: string): void {
    const seq = journal.length + 1
    const prev = journal.at(-1)?.hash ?? nothing
    const at = startMs
    const body = `{"seq":${seq},"prev":"${prev}","kind":"note","of":"${instance}","text":"${text}"`
    const hash = createHash('sha256').update(body).digest('hex')
    journal.push({ seq, at_ms: at, kind: 'note', hash, prev, line: `${body},"hash":"${hash}"}` })
  }

  #who(): Speaker {
    return this.#chance.pick(this.#speakers)
  }

  #scope(): string {
    const account = this.#chance.pick(this.#members).account
    return this.#chance.pick([
      'fleet',
      'fleet',
      'group:desk',
      'group:lab',
      'group:none',
      `account:testnet:${account}`,
    ])
  }

  #someEpoch(): number {
    const raised = [...this.#model.state.control.values()].map(({ epoch }) => epoch)
    return this.#chance.is(0.1) ? 0 : this.#chance.pick([1, ...raised])
  }

  /** Asks both as a member; both answer the same. */
  async #ask(who: Speaker, text: string, values: Values): Promise<readonly ModelRow[]> {
    const model = told(() => this.#model.answer(who.member, text, values))
    const real = await this.#real.asRole(`role_${who.member}`, text, values)
    const name = /guard\.(\w+)\(/.exec(text)?.[1] ?? ''
    this.#equal(`${who.member} ${name} ${JSON.stringify(values)}`, model, real)
    if ('refused' in model) {
      this.#met(String(model.refused))
      return []
    }
    this.#met(name)
    if (name === 'beat' && model.length > 0) this.#met('beat kills')
    const outcome = model[0]?.['outcome']
    if (typeof outcome === 'string') this.#met(`${name} ${outcome}`)
    return model
  }

  /** Asks both as somebody who may. */
  async #both(
    what: string,
    text: string,
    values: Values,
    ofModel: () => readonly ModelRow[],
  ): Promise<void> {
    const model = told(ofModel)
    const real = await this.#real.asOwner(text, values)
    this.#equal(`${what} ${JSON.stringify(values)}`, model, real)
    this.#met('refused' in model ? String(model.refused) : what)
  }

  #equal(what: string, model: Told, real: Answer): void {
    const where = `seed ${this.#seed}, call ${this.#calls}: ${what}`
    expect([where, normal(model)]).toEqual([where, normal(real)])
  }

  async #compare(what: string): Promise<void> {
    const where = `seed ${this.#seed}, call ${this.#calls}: ${what}`
    expect([where, await this.#real.state()]).toEqual([where, shapeOf(this.#model.state)])
  }

  #met(what: string): void {
    this.asked.set(what, (this.asked.get(what) ?? 0) + 1)
  }
}

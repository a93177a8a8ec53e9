import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addOther, startFleet } from './fleet.fixture.ts'
import type { TestFleet } from './fleet.fixture.ts'
import { leaseTimes, writerTimes } from './leaseTimes.ts'
import { isPostgresThere } from './postgres.fixture.ts'

const { heldMs, signedMs } = writerTimes

/** Two members of a fleet, as they speak to its store, by the server's own program. */
class Speakers {
  readonly fleet: TestFleet
  readonly #urls: Readonly<Record<string, string>>

  private constructor(fleet: TestFleet, two: string) {
    this.fleet = fleet
    this.#urls = { one: fleet.memberUrl, two }
  }

  static async open(): Promise<Speakers> {
    const fleet = await startFleet()
    return new Speakers(fleet, await addOther(fleet))
  }

  as(who: string, statement: string): Promise<string> {
    return this.fleet.server.psqlAs(this.#urls[who] ?? '', statement)
  }

  /** What becomes of a question for the right to act, and its epoch; `answer`: the last that it had. */
  keep(home: string, run: string, epoch: number, holds: boolean, answer = 0): Promise<string> {
    const values = `'${home}', '${run}', ${epoch}, ${holds}, false, '{}', ${answer}`
    return this.as('one', `select outcome, epoch from guard.keep_writer(${values})`)
  }

  /** What the member holds then. */
  async lease(who: string, asked: object): Promise<number> {
    const turn = await this.as(who, 'select guard.begin_leases()')
    const asks = JSON.stringify([{ scope: 'fleet', kind: 'gross_value', ...asked }])
    const held = `select trim_scale(held) from guard.renew_leases(${turn}, '${asks}') where was_asked`
    return Number(await this.as(who, held))
  }

  /** Whether the store knows that it has lost something. */
  isPutBack(): Promise<string> {
    return this.fleet.server.psql('select is_put_back from guard.leasing')
  }

  /** So much time passes at the store. */
  async pass(ms: number): Promise<void> {
    const by = `interval '${ms} milliseconds'`
    await this.fleet.server.psql(
      `update guard.leasing set since = since - ${by}; update guard.writers set until = until - ${by}; update guard.leases set renewed_at = renewed_at - ${by}`,
    )
  }
}

describe.skipIf(!isPostgresThere)('a store that was put back to an older copy of its disk', () => {
  let speakers: Speakers
  let lostKill = 0
  beforeAll(async () => {
    speakers = await Speakers.open()
  })
  afterAll(() => speakers.fleet.stop())

  test('what the copy has, and what became of it later', async () => {
    const { server } = speakers.fleet
    await server.psql("select guard.set_limit('fleet', 'gross_value', 100)")
    expect(await speakers.keep('home-a', 'run-a', 0, false)).toBe('held|1')
    expect(await speakers.keep('home-c', 'run-c', 0, false)).toBe('waits|1')
    expect(await speakers.lease('one', { used: 10, want: 40, keep: 0 })).toBe(40)
    await speakers.pass(60_000)
    await server.copyDisk()
    // A start by itself is sat out: who has the right by its own clocks goes on.
    expect(await speakers.keep('home-a', 'run-a', 1, true)).toBe('held|1')
    await speakers.pass(leaseTimes.spareMs)
    expect(await speakers.lease('one', { used: 10, want: 10, keep: 10 })).toBe(10)
    expect(await speakers.lease('two', { used: 80, want: 90, keep: 80 })).toBe(90)
    expect(await speakers.keep('home-b', 'run-b', 0, false)).toBe('held|2')
    lostKill = await speakers.fleet.kill()
    await server.putBack()
    expect(await server.psql('select run, epoch from guard.writers')).toBe('run-a|1')
    expect(await server.psql('select trim_scale(leased) from guard.budgets')).toBe('40')
  })

  test('nobody acts twice: who has the right goes on, and whom the store remembers learns of it', async () => {
    // The one that was gone comes back first, and is what the store remembers.
    expect(await speakers.keep('home-a', 'run-a', 1, false)).toBe('waits|1')
    expect(await speakers.isPutBack()).toBe('f')
    expect(await speakers.keep('home-b', 'run-b', 2, true, 3)).toBe('held|3')
    expect(await speakers.isPutBack()).toBe('t')
    expect(await speakers.keep('home-a', 'run-a', 1, false)).toBe('lost|3')
  })

  test('nothing is granted twice: what each uses and relies on counts before what is remembered', async () => {
    expect(await speakers.lease('two', { used: 80, want: 90, keep: 90 })).toBe(60)
    expect(await speakers.lease('one', { used: 10, want: 100, keep: 10 })).toBe(10)
    // All have spoken, and who has not opens nothing any more: what the other one uses beyond its lease counts.
    await speakers.pass(heldMs + signedMs)
    expect(await speakers.lease('one', { used: 10, want: 100, keep: 10 })).toBe(20)
    expect(await speakers.lease('two', { used: 80, want: 80, keep: 60 })).toBe(80)
    const used = 'select trim_scale(sum(held_usd)) from guard.leases'
    expect(await speakers.fleet.server.psql(used)).toBe('100')
  })

  test('the next kill is above the one that was lost, before anybody has told of it', async () => {
    expect(await speakers.fleet.server.psql('select max(obeyed_epoch) from guard.guards')).toBe('0')
    expect(await speakers.fleet.kill()).toBeGreaterThan(lostKill)
  })

  test('who was given the right by what is lost learns that another has it by now', async () => {
    await speakers.fleet.server.putBack()
    expect(await speakers.keep('home-a', 'run-a', 1, false)).toBe('waits|1')
    await speakers.pass(heldMs + signedMs)
    // Its holder was cut off for so long that it opens nothing: the other one gets it.
    expect(await speakers.keep('home-a', 'run-a', 1, false)).toBe('held|1')
    expect(await speakers.keep('home-b', 'run-b', 2, false)).toBe('waits|3')
    expect(await speakers.keep('home-a', 'run-a', 1, true)).toBe('held|3')
    expect(await speakers.keep('home-b', 'run-b', 2, false)).toBe('lost|3')
  })

  test('while somebody that has acted is silent nothing new is leased, for as long as a lease lasts', async () => {
    const { server } = speakers.fleet
    await server.putBack()
    expect(await speakers.lease('two', { used: 0, want: 100, keep: 0 })).toBe(0)
    await speakers.pass(heldMs + signedMs)
    expect(await speakers.keep('home-b', 'run-b', 0, false, 3)).toBe('held|2')
    expect(await speakers.lease('two', { used: 0, want: 100, keep: 0 })).toBe(0)
    // Nor by another start meanwhile is it forgotten.
    await server.restart()
    await speakers.pass(heldMs + signedMs)
    expect(await speakers.lease('two', { used: 0, want: 100, keep: 0 })).toBe(0)
    await speakers.pass(leaseTimes.spareMs)
    expect(await speakers.lease('two', { used: 0, want: 100, keep: 0 })).toBe(60)
  })

  test('one that was away comes with what the store has lost: from then on nothing new is leased', async () => {
    const { server } = speakers.fleet
    await server.putBack()
    expect(await speakers.lease('two', { used: 0, want: 50, keep: 0 })).toBe(0)
    await speakers.pass(heldMs + signedMs)
    expect(await speakers.lease('two', { used: 0, want: 50, keep: 0 })).toBe(50)
    expect(await speakers.keep('home-b', 'run-b', 2, false, 3)).toBe('held|3')
    expect(await speakers.lease('two', { used: 0, want: 60, keep: 50 })).toBe(50)
    // It uses more than is left, which is counted, and gets none of what another relies on.
    expect(await speakers.lease('one', { used: 80, want: 90, keep: 80 })).toBe(50)
    expect(await speakers.lease('two', { used: 0, want: 60, keep: 50 })).toBe(50)
  })
})

describe.skipIf(!isPostgresThere)('a store whose server was only started again', () => {
  let speakers: Speakers
  beforeAll(async () => {
    speakers = await Speakers.open()
  })
  afterAll(() => speakers.fleet.stop())

  test('leases after fifteen seconds what nobody holds, though one that has acted is dead', async () => {
    const { server } = speakers.fleet
    await server.psql("select guard.set_limit('fleet', 'gross_value', 100)")
    expect(await speakers.keep('home-a', 'run-a', 0, false)).toBe('held|1')
    expect(await speakers.lease('one', { used: 10, want: 40, keep: 0 })).toBe(40)
    expect(await speakers.lease('two', { used: 0, want: 20, keep: 0 })).toBe(20)
    await server.restart()
    // What is held stays held, and who has the right goes on.
    expect(await speakers.keep('home-a', 'run-a', 1, true, 1)).toBe('held|1')
    expect(await speakers.isPutBack()).toBe('f')
    expect(await speakers.lease('two', { used: 0, want: 60, keep: 20 })).toBe(20)
    await speakers.pass(heldMs + signedMs)
    expect(await speakers.lease('two', { used: 0, want: 60, keep: 20 })).toBe(60)
  })
})

describe.skipIf(!isPostgresThere)('a store whose schema was restored from a dump', () => {
  let speakers: Speakers
  beforeAll(async () => {
    speakers = await Speakers.open()
  })
  afterAll(() => speakers.fleet.stop())

  test('is another store: nobody acts for a lease time, and no kill is raised a second time', async () => {
    const { server } = speakers.fleet
    expect(await speakers.keep('home-a', 'run-a', 0, false)).toBe('held|1')
    const file = join(server.folder, 'guard.sql')
    writeFileSync(file, await server.dump())
    await speakers.pass(heldMs + signedMs)
    expect(await speakers.keep('home-b', 'run-b', 0, false)).toBe('held|2')
    const lost = await speakers.fleet.kill()
    await server.psql('drop schema guard cascade')
    await server.psql(`\\i ${file}`)
    // Its server never stopped, so that another one may answer as well.
    expect(await speakers.keep('home-a', 'run-a', 1, false)).toBe('waits|1')
    expect(await speakers.keep('home-b', 'run-b', 2, true)).toBe('waits|1')
    expect(await speakers.fleet.kill()).toBeGreaterThan(lost)
    await speakers.pass(heldMs + signedMs)
    expect(await speakers.keep('home-b', 'run-b', 2, false)).toBe('held|3')
    expect(await speakers.keep('home-a', 'run-a', 1, false)).toBe('lost|3')
  })
})

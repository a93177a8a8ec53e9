import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { ask, Bench, passphrase, said } from '../../src/cli/cli.fixture.ts'
import type { Said } from '../../src/cli/cli.fixture.ts'
import { createDemoBot } from '../../lab/demo/demoBot.ts'
import { startPostgres } from '../../src/fleet/postgres.fixture.ts'
import type { TestServer } from '../../src/fleet/postgres.fixture.ts'
import { guardEvent } from '../../src/gateway/schema/events.ts'
import { Started } from './program.fixture.ts'

/** A Guard that runs on `home`, one that is set up and does not run on `still`, and none elsewhere. */
export class Stage {
  readonly bench: Bench
  readonly running: Started
  readonly url: string
  #server: Promise<TestServer> | null = null

  private constructor(bench: Bench, running: Started, url: string) {
    this.bench = bench
    this.running = running
    this.url = url
  }

  static async open(): Promise<Stage> {
    const bench = await Bench.open()
    for (const home of ['home', 'still']) {
      const { code, err } = await ask(bench.initArgs(home))
      if (code !== 0) throw new Error(err)
    }
    const args = ['run', '--home', bench.path('home'), '--listen', '127.0.0.1:0', '--json']
    const running = new Started(args, { env: { GUARD_KEY_PASSPHRASE: passphrase } })
    const [, url = ''] = await running.until(/"url":"(http:[^"]+)"/)
    await running.until(/bots are served/)
    return new Stage(bench, running, url)
  }

  /** Runs a command in this process, as JSON, on the running home unless it names another. */
  async run(args: readonly string[], stdin?: string): Promise<Said> {
    const home = args.includes('--home') ? [] : ['--home', this.bench.path('home')]
    const env = { GUARD_KEY_PASSPHRASE: passphrase }
    return await ask([...args, ...home, '--json'], {
      env,
      ...(stdin === undefined ? {} : { stdin }),
    })
  }

  on(home: string): string[] {
    return ['--home', this.bench.path(home)]
  }

  /** The nonce of an order that a bot sent through the running Guard. */
  async nonce(): Promise<string> {
    const key = readFileSync(this.bench.path('home.client'), 'utf8').trim()
    await createDemoBot(this.url, key).marketBuy(1, '2500', '0.1')
    const { out } = await this.run(['events', '--kind', 'decision'])
    const event = guardEvent.parse(JSON.parse(out.trim().split('\n').at(-1) ?? ''))
    return event.kind === 'decision' ? String(event.nonce) : ''
  }

  /** A PostgreSQL server of this stage, started when it is first asked for. */
  postgres(): Promise<TestServer> {
    return (this.#server ??= startPostgres())
  }

  async close(): Promise<void> {
    await (await this.#server)?.stop()
    await this.running.stop()
    await this.bench.close()
  }
}

/** Starts a program that runs on, waits for a line, ends it as Ctrl-C does. */
export async function untilSeen(args: readonly string[], pattern: RegExp): Promise<Said> {
  const started = new Started(args)
  await started.until(pattern)
  started.signal('SIGINT')
  return said(await started.ended, started.out, started.err)
}

/** A port where something listens that says it is a Guard on mainnet. */
export async function takenPort(): Promise<string> {
  const server = createServer((_request, response) => {
    response.end(JSON.stringify({ schema: 1, mode: 'mainnet', network: 'mainnet' }))
  }).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.close()
  })
  await new Promise((resolved) => server.once('listening', resolved))
  return String((server.address() as AddressInfo).port)
}

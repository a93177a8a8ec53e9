import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Bot, Seen, Target } from '../bot.ts'

/** What a bot in another language says of one wish. */
export interface Answer {
  readonly saw?: any
  readonly threw?: string
  readonly text?: string
  readonly orders?: Seen['orders']
  readonly refused?: string
  readonly as?: string
}

interface Program {
  readonly command: string
  readonly args: readonly string[]
  /** What it answered, as a bot sees it. */
  readonly seen: (answer: Answer) => Seen
  /** Wishes that are refused whoever asks: what they are, how they are said, and the code. */
  readonly forbidden: readonly (readonly [name: string, wish: string, code: string])[]
}

/** A bot that is a program of its own: a wish is a line of JSON, and so is its answer. */
export async function openLineBot(target: Target, program: Program): Promise<Bot> {
  const { url, key, account, vault } = target
  const own = [url, key, account, ...(vault === undefined ? [] : [vault])]
  const child = spawn(program.command, [...program.args, ...own])
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
  })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const answer = async (): Promise<Answer> => {
    const { value, done } = await lines.next()
    if (done === true) throw new Error(`the bot ended: ${errors}`)
    return JSON.parse(value) as Answer
  }
  await answer()
  const ask = async (what: string, ...given: unknown[]): Promise<Answer> => {
    child.stdin.write(`${JSON.stringify({ do: what, with: given })}\n`)
    return answer()
  }
  const saw = async (what: string, ...given: unknown[]): Promise<any> => {
    const { saw: value, threw, text } = await ask(what, ...given)
    if (threw !== undefined) throw new Error(`${what}: ${threw}: ${text ?? ''}`)
    return value
  }
  const does =
    (what: string) =>
    async (...given: unknown[]): Promise<Seen> =>
      program.seen(await ask(what, ...given))
  return {
    markets: () => saw('markets'),
    read: () => saw('read'),
    leverage: does('leverage'),
    market: does('market'),
    limit: does('limit'),
    marketWithStop: does('marketWithStop'),
    limitWithStop: does('limitWithStop'),
    group: does('group'),
    stop: does('stop'),
    triggerEntry: does('triggerEntry'),
    modify: does('modify'),
    modifyStop: does('modifyStop'),
    cancel: does('cancel'),
    cancelByCloid: does('cancelByCloid'),
    cancelAll: does('cancelAll'),
    close: does('close'),
    several: does('several'),
    together: async (wishes) => ((await saw('together', wishes)) as Answer[]).map(program.seen),
    watch: async () => {
      const levels: number = await saw('watch')
      return { book: () => Promise.resolve(levels), fill: () => saw('fill') }
    },
    forbidden: program.forbidden.map(([name, wish, code]) => ({
      ...{ name, code },
      run: () => does(wish)(),
    })),
    end: async () => {
      const ended = new Promise((done) => child.once('exit', done))
      child.kill()
      await ended
    },
  }
}

/** What the bots in Rust and in Go say is what a bot sees. */
export function seenAsSaid({ orders, refused, as }: Answer): Seen {
  return refused === undefined ? { orders: orders ?? [] } : { refused, as: as ?? '' }
}

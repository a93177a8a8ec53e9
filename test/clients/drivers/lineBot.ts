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
  /** How old it may be: an older one is ended, and a new one asked in its place. */
  readonly lifeMs?: number
  /** Wishes that are refused whoever asks: what they are, how they are said, and the code. */
  readonly forbidden: readonly (readonly [name: string, wish: string, code: string])[]
}

interface Line {
  /** Says a wish, and gives the answer to it. */
  ask(what: string, given: readonly unknown[]): Promise<Answer>
  end(): Promise<void>
}

/** A running program: a wish is a line of JSON, and so is its answer. */
async function startLine({ command, args }: Program, own: readonly string[]): Promise<Line> {
  const child = spawn(command, [...args, ...own])
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
  return {
    ask: (what, given) => {
      child.stdin.write(`${JSON.stringify({ do: what, with: given })}\n`)
      return answer()
    },
    end: async () => {
      const ended = new Promise((done) => child.once('exit', done))
      child.kill()
      await ended
    },
  }
}

/** A bot that is a program of its own. */
export async function openLineBot(target: Target, program: Program): Promise<Bot> {
  const { url, key, account, vault } = target
  const own = [url, key, account, ...(vault === undefined ? [] : [vault])]
  let line = await startLine(program, own)
  let bornAt = Date.now()
  let isWatching = false
  const ask = async (what: string, ...given: unknown[]): Promise<Answer> => {
    if (Date.now() - bornAt > (program.lifeMs ?? Infinity) && !isWatching) {
      await line.end()
      line = await startLine(program, own)
      bornAt = Date.now()
    }
    return line.ask(what, given)
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
      isWatching = true
      const fill = async (): Promise<number> => {
        const size: number = await saw('fill')
        isWatching = false
        return size
      }
      return { book: () => Promise.resolve(levels), fill }
    },
    forbidden: program.forbidden.map(([name, wish, code]) => ({
      ...{ name, code },
      run: () => does(wish)(),
    })),
    end: () => line.end(),
  }
}

/** What the bots in Rust and in Go say is what a bot sees. */
export function seenAsSaid({ orders, refused, as }: Answer): Seen {
  return refused === undefined ? { orders: orders ?? [] } : { refused, as: as ?? '' }
}

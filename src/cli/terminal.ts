import { styleText } from 'node:util'
import { shownJsonText } from '../core/values/shownText.ts'
import { LaterWriter } from '../system/laterWriter.ts'

/** Where a command reads and writes; tests give their own. */
export interface Terminal {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** As `err`, for a process that must wait for nobody who reads it. */
  readonly log: { readonly write: (text: string) => void; readonly flush: () => void }
  readonly environment: NodeJS.ProcessEnv
  /** The options that Node was started with, such as `--inspect`. */
  readonly execArgv?: readonly string[]
  /** A person can be asked. */
  readonly isInteractive: boolean
  readonly columns: number
  readonly readStdin: () => Promise<string>
  /** Resolves once a slow reader of `out` has caught up. */
  readonly drained: () => Promise<void>
}

type Colour = 'red' | 'green' | 'yellow' | 'cyan' | 'gray' | 'magenta' | 'bold'

export function paint(colour: Colour, text: string): string {
  return styleText(colour, text)
}

export function printJson(terminal: Terminal, value: unknown): void {
  terminal.out(`${shownJsonText(JSON.stringify(value, null, 2))}\n`)
}

export const processTerminal: Terminal = {
  out: (text) => {
    process.stdout.write(text)
  },
  err: (text) => {
    process.stderr.write(text)
  },
  log: new LaterWriter(2),
  environment: process.env,
  execArgv: process.execArgv,
  isInteractive: process.stdin.isTTY && process.stdout.isTTY,
  get columns() {
    return process.stdout.isTTY ? process.stdout.columns : 100
  },
  readStdin: async () => {
    const chunks: Buffer[] = []
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks).toString('utf8')
  },
  drained: async () => {
    if (!process.stdout.writableNeedDrain) return
    await new Promise<void>((resolve) => process.stdout.once('drain', resolve))
  },
}

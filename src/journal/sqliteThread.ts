import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { limits } from '../core/values/limits.ts'

/** One SQL statement with its values. */
export interface SqlStatement {
  readonly sql: string
  readonly values: readonly SqlValue[]
}

export type SqlValue = string | number | null

/**
 * SQLite on a thread of its own, because it writes and waits in the thread that calls it: a disk
 * that stalls holds up that thread and nobody else. What it is told is done in that order.
 */
export class SqliteThread {
  readonly #worker: Worker
  readonly #calls = new Map<number, Call>()
  #lastCall = 0
  #ended: Error | null = null

  /** `sqlite` is the path of the module that opens databases. */
  constructor(sqlite: string = sqliteModule) {
    this.#worker = new Worker(program, {
      eval: true,
      workerData: { sqlite },
      resourceLimits: {
        maxOldGenerationSizeMb: limits.indexThreadMegabytesMax,
        maxYoungGenerationSizeMb: youngMegabytes,
      },
    })
    this.#worker.unref()
    this.#worker.on('message', (answer: Answer) => {
      this.#settle(answer)
    })
    this.#worker.on('error', (error) => {
      this.#end(error)
    })
    this.#worker.on('exit', () => {
      this.#end(new Error('the thread of the index has ended'))
    })
  }

  get hasEnded(): boolean {
    return this.#ended !== null
  }

  async open(path: string): Promise<void> {
    await this.#call('open', path)
  }

  async exec(sql: string): Promise<void> {
    await this.#call('exec', sql)
  }

  /** Does all of them in one transaction, or none. */
  async write(statements: readonly SqlStatement[]): Promise<void> {
    await this.#call('write', statements)
  }

  /** The rows a statement finds. */
  async all(sql: string, values: readonly SqlValue[] = []): Promise<readonly unknown[]> {
    const rows = await this.#call('all', { sql, values })
    return Array.isArray(rows) ? rows : []
  }

  /** Closes the database, if one is open; another may be opened after it. */
  async close(): Promise<void> {
    await this.#call('close', null)
  }

  /** Removes a database that is not open, with what SQLite keeps beside it. */
  async remove(path: string): Promise<void> {
    await this.#call('remove', path)
  }

  /** Ends the thread; what it has not answered yet fails. */
  async end(): Promise<void> {
    await this.#worker.terminate()
  }

  #call(op: string, input: unknown): Promise<unknown> {
    if (this.#ended !== null) return Promise.reject(this.#ended)
    this.#lastCall += 1
    const id = this.#lastCall
    // Whoever waits for an answer keeps the process alive; an idle thread does not.
    this.#worker.ref()
    return new Promise((resolve, reject) => {
      this.#calls.set(id, { resolve, reject })
      this.#worker.postMessage({ id, op, input })
    })
  }

  #settle({ id, value, error }: Answer): void {
    const call = this.#calls.get(id)
    this.#calls.delete(id)
    if (this.#calls.size === 0) this.#worker.unref()
    if (error === undefined) call?.resolve(value)
    else call?.reject(new Error(error))
  }

  #end(error: Error): void {
    this.#ended ??= error
    const calls = [...this.#calls.values()]
    this.#calls.clear()
    for (const { reject } of calls) reject(this.#ended)
  }
}

interface Call {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

interface Answer {
  readonly id: number
  readonly value?: unknown
  readonly error?: string
}

const sqliteModule = createRequire(import.meta.url).resolve('@photostructure/sqlite')

const youngMegabytes = 4

/**
 * What the thread runs: it only does what it is told, so that all that thinks stays outside. It is
 * a text because Guard is one bundled file and its tests run from the sources: neither has a file
 * that a thread could be started from.
 */
const program = `'use strict'
const { parentPort, workerData } = require('node:worker_threads')
const { rmSync } = require('node:fs')
const { DatabaseSync } = require(workerData.sqlite)

let database = null
const prepared = new Map()

function statement(sql) {
  const known = prepared.get(sql)
  if (known !== undefined) return known
  if (prepared.size >= 64) prepared.clear()
  const made = database.prepare(sql)
  prepared.set(sql, made)
  return made
}

const operations = {
  open(path) {
    database = new DatabaseSync(path, { timeout: 0 })
  },
  exec(sql) {
    database.exec(sql)
  },
  write(statements) {
    database.exec('BEGIN')
    try {
      for (const { sql, values } of statements) statement(sql).run(...values)
      database.exec('COMMIT')
    } catch (error) {
      database.exec('ROLLBACK')
      throw error
    }
  },
  all({ sql, values }) {
    return statement(sql).all(...values)
  },
  close() {
    const open = database
    database = null
    prepared.clear()
    if (open !== null) open.close()
  },
  remove(path) {
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
  },
}

parentPort.on('message', ({ id, op, input }) => {
  try {
    parentPort.postMessage({ id, value: operations[op](input) })
  } catch (error) {
    parentPort.postMessage({ id, error: String(error?.message ?? error) })
  }
})
`

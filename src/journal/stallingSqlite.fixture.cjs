'use strict'
// SQLite on a disk that stalls: whatever it is told waits as long as a file says so, for at most
// ten seconds; another file says that it does. It waits in the thread that calls, as SQLite does when the disk does not answer.
const { existsSync, writeFileSync } = require('node:fs')
const { DatabaseSync } = require('@photostructure/sqlite')

exports.DatabaseSync = class extends DatabaseSync {
  #path

  constructor(path, options) {
    super(path, options)
    this.#path = path
  }

  exec(sql) {
    const pause = new Int32Array(new SharedArrayBuffer(4))
    const until = Date.now() + 10_000
    while (existsSync(`${this.#path}.stalls`)) {
      if (Date.now() > until) throw new Error('the disk stalled for too long')
      writeFileSync(`${this.#path}.hangs`, '')
      Atomics.wait(pause, 0, 0, 2)
    }
    super.exec(sql)
  }
}

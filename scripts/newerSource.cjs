// Whether the source of this clone is newer than its build. This file is CommonJS: bin/guard asks it
// before the first ES module is loaded, which would fix the number of threads that bin/guard sets.
'use strict'
const { existsSync, readdirSync, statSync } = require('node:fs')
const { join } = require('node:path')

const isBuilt = (file) => /\.(tsx?|css|html|svg)$/.test(file) && !/\.(test|fixture)\.ts$/.test(file)

/**
 * The path, from `root`, of one source or of the lock file that was changed after `built`; null where
 * none was. It throws where a folder cannot be read: what that means is for the caller to say.
 */
function newerSource(root, built) {
  const builtMs = changedMs(built)
  const now = Date.now()
  const isNewer = (file) => {
    const at = changedMs(join(root, file))
    // A time that is still to come says nothing of what was changed first: the clock was wrong.
    return at > builtMs && at <= now
  }
  const folders = ['src', 'lab'].filter((folder) => existsSync(join(root, folder)))
  const sources = folders.flatMap((folder) => filesIn(root, folder).filter(isBuilt))
  return [...sources, 'package-lock.json'].find(isNewer) ?? null
}

/** Paths from `root` of all files in a folder, but for hidden ones, which editors keep for themselves. */
function filesIn(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.'))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? filesIn(root, path) : [path]
    })
}

/**
 * When a file was changed, in ms since 1970; -Infinity where it is gone or a link to nothing. Copying
 * and unpacking can set its own time (mtime) to one that is still to come; the system's (ctime) is
 * when that was done.
 */
function changedMs(file) {
  const stat = statSync(file, { throwIfNoEntry: false })
  return stat === undefined ? -Infinity : Math.min(stat.mtimeMs, stat.ctimeMs)
}

module.exports = { newerSource }

// Whether the source of this clone is newer than its build. No module, since bin/guard asks it before
// anything may load one.
'use strict'
const { readdirSync, statSync } = require('node:fs')
const { join } = require('node:path')

const isBuilt = (file) => /\.(tsx?|css|html|svg)$/.test(file) && !/\.(test|fixture)\.ts$/.test(file)

/** The first source, or the lock file, that was changed after `built`; null where none was. */
function newerSource(root, built) {
  const { mtimeMs } = statSync(built)
  const sources = ['src', 'lab'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter(isBuilt)
      .map((file) => join(folder, file)),
  )
  const isNewer = (file) => statSync(join(root, file)).mtimeMs > mtimeMs
  return [...sources, 'package-lock.json'].find(isNewer) ?? null
}

module.exports = { newerSource }

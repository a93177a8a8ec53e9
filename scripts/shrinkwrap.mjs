// Writes npm-shrinkwrap.json for the package: whoever installs it gets the very versions of the
// production dependencies that were tested. It is made from package-lock.json when the package is
// packed and taken away afterwards, since npm would otherwise go by it in this clone as well.
//
//   --remove   takes it away
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const file = join(root, 'npm-shrinkwrap.json')

if (process.argv.includes('--remove')) rmSync(file, { force: true })
else {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  writeFileSync(file, `${JSON.stringify(shrunk(lock), null, 2)}\n`)
}

/** The lock of an installed package: what its own dependencies lead to, and nothing of its making. */
function shrunk(lock) {
  const { devDependencies: _, ...own } = lock.packages['']
  const kept = new Map([['', own]])
  const wanted = ['']
  while (wanted.length > 0) {
    const from = wanted.pop()
    const { dependencies, optionalDependencies, peerDependencies } = kept.get(from)
    const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })
    for (const name of names) {
      const path = found(lock.packages, from, name)
      // A peer that is optional need not be there.
      if (path === null || kept.has(path)) continue
      const { dev: _dev, devOptional: _devOptional, ...entry } = lock.packages[path]
      kept.set(path, entry)
      wanted.push(path)
    }
  }
  const paths = [...kept.keys()].sort()
  return { ...lock, packages: Object.fromEntries(paths.map((path) => [path, kept.get(path)])) }
}

/** Where a package finds another one: in its own folder, or in one that it lies in. */
function found(packages, from, name) {
  for (let folder = from; ; folder = outer(folder)) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    if (packages[path] !== undefined) return path
    if (folder === '') return null
  }
}

function outer(folder) {
  const at = folder.lastIndexOf('node_modules/')
  return folder.slice(0, Math.max(0, at - 1))
}

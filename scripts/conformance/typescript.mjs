// The suite makes a TypeScript program for each test. The files that all of them share, the language's
// own above all, are parsed once here, or a run would take ten times as long.
import { createRequire } from 'node:module'
import { join } from 'node:path'

const { packages } = JSON.parse(process.env.CONFORMANCE)
const ts = createRequire(join(packages, 'package.json'))('typescript')
const parsed = new Map()

export default {
  ...ts,
  createProgram(files, options) {
    const host = ts.createCompilerHost(options)
    const read = host.getSourceFile.bind(host)
    host.getSourceFile = (file, ...rest) => {
      if (!parsed.has(file)) parsed.set(file, read(file, ...rest))
      return parsed.get(file)
    }
    return ts.createProgram(files, options, host)
  },
}

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { ledgerFile } from '../../host/hostLedger.ts'
import { CliError } from '../cliError.ts'
import { hostAccount, ledgerRows } from '../hostAccounts.ts'
import { bad, fine, look } from './finding.ts'
import type { Finding } from './finding.ts'

const name = 'host'

/** The folder in which the Guards of this machine share what the venue counts for its address. */
export async function examineHost(directory: string): Promise<Finding> {
  const stat = statSync(directory, { throwIfNoEntry: false })
  if (stat === undefined) return fine(name, `${directory} is made at the first start`)
  if (!stat.isDirectory()) {
    return bad(name, `${directory} is no directory`, 'name another one as host.dir')
  }
  if (await isOnNetwork(directory)) {
    const why = 'locks do not hold there: name a directory on a disk of this machine as host.dir'
    return bad(name, `${directory} is on a network`, why)
  }
  try {
    const running = (await ledgerRows(directory)).filter((row) => hostAccount(row).running)
    const strangers = otherUsersGuards()
    if (strangers.length > 0) {
      const text = `process ${strangers.join(', ')} is a Guard of another user, behind the same address`
      return look(name, text, 'name one directory that all of them may write as host.dir')
    }
    const mode = stat.mode & 0o777
    if ((mode & 0o007) !== 0) {
      const text = `${directory} is open to everybody (mode ${mode.toString(8)})`
      return look(name, text, `chmod o= ${directory}`)
    }
    return fine(name, `${directory}, ${running.length} Guards run`)
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    const file = ledgerFile(directory)
    const remedy = /locked|busy/i.test(error.message)
      ? 'a process holds it: guard status of each Guard says which one stands still'
      : `a Guard lives on its floor until then; if the file is broken: rm ${file} ${file}-wal ${file}-shm`
    return bad(name, error.message, remedy)
  }
}

/** NFS, SMB, CIFS and SMB 2, as Linux numbers them. */
const networkSystems: ReadonlySet<number> = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42])

async function isOnNetwork(directory: string): Promise<boolean> {
  const { type } = await statfs(directory)
  return networkSystems.has(type)
}

/** Processes of other users that have the name Guard's program gives itself. */
function otherUsersGuards(): readonly string[] {
  const own = process.getuid?.()
  try {
    return readdirSync('/proc')
      .filter((pid) => /^\d+$/.test(pid))
      .filter((pid) => isGuardOfAnother(pid, own))
  } catch {
    return []
  }
}

function isGuardOfAnother(pid: string, own: number | undefined): boolean {
  try {
    const isGuard = /^guard\0*$/.test(readFileSync(`/proc/${pid}/cmdline`, 'latin1'))
    return isGuard && statSync(`/proc/${pid}`).uid !== own
  } catch {
    return false
  }
}

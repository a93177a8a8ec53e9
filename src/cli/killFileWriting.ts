import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { killFileIn } from '../system/killFile.ts'

/** Writes the kill file; its directory is made only where it is missing: on a disk that hangs even that would wait. */
export async function writeKillFile(stateDir: string, text: string): Promise<void> {
  if (!existsSync(stateDir)) await mkdir(stateDir, { recursive: true, mode: 0o700 })
  await killFileIn(stateDir).write(text)
}

/** Resolves after so long, and keeps no command from ending. */
export function waited(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref()
  })
}

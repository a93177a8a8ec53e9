import { killFileIn } from '../../../src/system/killFile.ts'
import type { KillFile } from '../../../src/engine/ports.ts'
import type { IoFile, JournalIo } from '../../../src/journal/journalIo.ts'
import { nodeIo } from '../../../src/journal/nodeIo.ts'

/** The real disk, until it is told to hang: from then on it answers no write before it is let go. */
export class HangingDisk {
  #free: Promise<void> = Promise.resolve()
  #letGo = (): void => undefined

  hang(): void {
    this.#free = new Promise((resolve) => (this.#letGo = resolve))
  }

  letGo(): void {
    this.#letGo()
  }

  get io(): JournalIo {
    return {
      ...nodeIo,
      open: async (path, mode, durability) => {
        if (mode !== 'read') await this.#free
        return this.#file(await nodeIo.open(path, mode, durability))
      },
    }
  }

  killFile(stateDir: string): KillFile {
    const file = killFileIn(stateDir)
    return {
      ...file,
      write: async (reason) => {
        await this.#free
        await file.write(reason)
      },
    }
  }

  #file(file: IoFile): IoFile {
    return {
      ...file,
      write: async (bytes, position) => {
        await this.#free
        return await file.write(bytes, position)
      },
      sync: async () => {
        await this.#free
        await file.sync()
      },
    }
  }
}

/**
 * The disk as the journal sees it. Everything that touches a file goes through here, so that a test
 * can fail, delay or stop the world at any operation. Paths are whole paths.
 */
export interface JournalIo {
  /** Creates the directory and its parents; fine when it exists. */
  makeDirectory(path: string): Promise<void>
  /** Names of the files in a directory, in no order; empty when there is no such directory. */
  list(path: string): Promise<readonly string[]>
  /**
   * `create` refuses an existing file, `write` makes a missing one, `read` needs it to exist. Each
   * write to a `durable` file returns only once it is on disk, as if `sync` had followed it.
   */
  open(path: string, mode: OpenMode, durability?: 'durable'): Promise<IoFile>
  rename(from: string, to: string): Promise<void>
  /** Fine when there is no such file. */
  remove(path: string): Promise<void>
  /** Makes created, renamed and removed names of the directory durable. */
  syncDirectory(path: string): Promise<void>
  /** How many bytes this process may still write to the directory's file system. */
  freeBytes(directory: string): Promise<number>
  /** Takes the directory for this process alone; an error is a sentence about who has it. */
  lock(directory: string): Promise<IoLock>
}

export type OpenMode = 'read' | 'write' | 'create'

export interface IoFile {
  size(): Promise<number>
  /** Whether the path it was opened by still leads to it; takes a few microseconds. */
  isInPlace(): boolean
  /** Reads at a position; fewer bytes than asked only at the end of the file. */
  read(into: Uint8Array, position: number): Promise<number>
  /** Writes at a position; may write fewer bytes than given, and says how many. */
  write(bytes: Uint8Array, position: number): Promise<number>
  /** Returns once what was written is on disk. After a failure the data must be taken as lost. */
  sync(): Promise<void>
  truncate(size: number): Promise<void>
  close(): Promise<void>
}

export type IoLock =
  | {
      readonly held: true
      /** The owner named by a lock that a dead process left behind, if any. */
      readonly stale: string | null
      /** Whether the lock file is still the one this process has locked; takes a few microseconds. */
      isOurs(): boolean
      release(): Promise<void>
    }
  | { readonly held: false; readonly owner: string }

/** The error code of a failed operation, such as `ENOSPC`, or null. */
export function ioCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null
  return typeof error.code === 'string' ? error.code : null
}

import { randomBytes } from 'node:crypto'
import { version } from '../../src/cli/version.ts'
import { exposedWords } from '../../src/gateway/gatewayOptions.ts'
import { createDoor } from '../../src/gateway/http/door.ts'
import type { ServedMcp } from '../../src/mcp/serveMcp.ts'
import { runMcpRedteam } from '../redteam/mcp/runMcpRedteam.ts'
import type { AttackResult, RedteamReport } from '../redteam/runRedteam.ts'
import { strangerKey } from '../redteam/signing.ts'
import type { Pen } from '../redteam/signing.ts'

interface Target {
  readonly url: string
  readonly pen: Pen
  readonly simUrl: string | null
  readonly only?: string
  readonly onResult?: (result: AttackResult) => void
}

/** Starts two servers for agents in front of a Guard, with its client's key and with a stranger's, and attacks both. */
export async function attackAgents(target: Target): Promise<RedteamReport> {
  const token = randomBytes(24).toString('hex')
  const other = strangerKey()
  // A program of its own: the laboratory loads it from beside itself, and has no second one in it.
  const { serveMcp } = await import('../../src/mcp/serveMcp.ts')
  const serve = (key: Uint8Array): Promise<ServedMcp> => {
    const exposed = { words: exposedWords, hosts: [], token } as const
    const door = createDoor({ host: '127.0.0.1', port: 0, exposed })
    const http = { host: '127.0.0.1', port: 0, door }
    return serveMcp({ url: target.url, guardToken: null, key, mayTrade: true, version, http })
  }
  const [own, stranger] = [await serve(target.pen.key), await serve(other)]
  const secrets = [target.pen.key, other].map((key) => Buffer.from(key).toString('hex'))
  try {
    return await runMcpRedteam({
      ...target,
      servers: { own: own.url ?? '', stranger: stranger.url ?? '' },
      token,
      secrets: [...secrets, token],
    })
  } finally {
    await own.close()
    await stranger.close()
  }
}

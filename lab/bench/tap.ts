import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

/** Something that passed between Guard and the venue, and when. */
interface Passed {
  readonly at: number
  readonly text: string
}

/** Stands between Guard and the venue, passes every byte on, and notes when what passed. */
export interface Tap {
  readonly url: string
  /** Requests to `/exchange`, as they left Guard. */
  readonly sent: Passed[]
  /** Milliseconds from each of them to the first byte of its answer. */
  readonly roundTrips: number[]
  /** Frames and answers, as they reached Guard. */
  readonly heard: Passed[]
  close(): Promise<void>
}

export async function openTap(venueUrl: string): Promise<Tap> {
  const { hostname, port } = new URL(venueUrl)
  const sent: Passed[] = []
  const heard: Passed[] = []
  const roundTrips: number[] = []
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (guard) => {
    const venue = connect({ host: hostname, port: Number(port), noDelay: true })
    let waitingSince: number | null = null
    guard.on('data', (chunk) => {
      const text = chunk.toString('latin1')
      if (text.startsWith('POST /exchange')) {
        waitingSince = performance.now()
        sent.push({ at: waitingSince, text })
      }
      venue.write(chunk)
    })
    venue.on('data', (chunk) => {
      const at = performance.now()
      if (waitingSince !== null) roundTrips.push(at - waitingSince)
      waitingSince = null
      heard.push({ at, text: chunk.toString('latin1') })
      guard.write(chunk)
    })
    for (const [one, other] of [
      [guard, venue],
      [venue, guard],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port: own } = server.address() as AddressInfo
  return {
    ...{ url: `http://127.0.0.1:${own}`, sent, heard, roundTrips },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        for (const socket of sockets) socket.destroy()
      }),
  }
}

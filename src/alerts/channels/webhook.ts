import { createHmac } from 'node:crypto'
import type { Channel } from '../channel.ts'
import { readStatus } from '../channel.ts'

/**
 * Any address of one's own. The signature is HMAC-SHA256 over `<timestamp>.<body>`, so that a
 * receiver knows who sent it and can refuse an old one.
 */
export function webhook(url: string, secret: string): Channel {
  return {
    name: 'webhook',
    build: (message, now) => {
      const timestamp = String(Math.floor(now / 1_000))
      const body = JSON.stringify({
        id: message.id,
        severity: message.severity,
        title: message.title,
        body: message.body,
        at_ms: message.at,
        lines: message.lines,
      })
      return {
        method: 'POST',
        url,
        headers: {
          'content-type': 'application/json',
          'x-guard-delivery': message.id,
          'x-guard-timestamp': timestamp,
          'x-guard-signature': `v1=${signature(secret, timestamp, body)}`,
        },
        body,
      }
    },
    read: (answer, now) => readStatus(answer, now, ''),
  }
}

function signature(secret: string, timestamp: string, body: string): string {
  return createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
}

import type { Channel } from '../channel.ts'
import { cut, readStatus, words } from '../channel.ts'

/** A Slack incoming webhook. */
export function slack(baseUrl: string, path: string): Channel {
  return {
    name: 'slack',
    build: (message) => ({
      method: 'POST',
      url: `${baseUrl}/${path}`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        text: escaped(cut(`${message.title}\n${message.body}`, 3_500)),
        mrkdwn: false,
        unfurl_links: false,
      }),
    }),
    read: (answer, now) => readStatus(answer, now, words(answer.body)),
  }
}

/** The three characters by which Slack knows links and mentions. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

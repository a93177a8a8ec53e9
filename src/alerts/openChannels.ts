import { err, ok } from '../core/values/result.ts'
import type { Result } from '../core/values/result.ts'
import type { AlertsConfig, ChannelName } from './alertsConfig.ts'
import type { Channel } from './channel.ts'
import { discord } from './channels/discord.ts'
import { ntfy } from './channels/ntfy.ts'
import { slack } from './channels/slack.ts'
import { telegram } from './channels/telegram.ts'
import { webhook } from './channels/webhook.ts'

/** Reads a file that only its owner may read; the error names the file and what is wrong. */
export type ReadSecret = (path: string) => Result<string>

/** Reads each channel's secret, once; the channels keep it to themselves. */
export function openChannels(
  config: AlertsConfig,
  readSecret: ReadSecret,
): Result<readonly Channel[], string[]> {
  const opened = config.order.map((name) => openChannel(name, config, readSecret))
  const problems = opened.flatMap((each) => (each.ok ? [] : [each.error]))
  if (problems.length > 0) return err(problems)
  return ok(opened.flatMap((each) => (each.ok ? [each.value] : [])))
}

function openChannel(
  name: ChannelName,
  { channels }: AlertsConfig,
  readSecret: ReadSecret,
): Result<Channel> {
  const read = (file: string, shape: RegExp, what: string): Result<string> => {
    const text = readSecret(file)
    if (!text.ok) return err(`alerts.${name}: ${text.error}`)
    const found = shape.exec(text.value.trim())?.[1]
    return found === undefined ? err(`alerts.${name}: ${file} must hold ${what}`) : ok(found)
  }
  const made = (secret: Result<string>, make: (text: string) => Channel): Result<Channel> =>
    secret.ok ? ok(make(secret.value)) : secret
  const { telegram: chat, discord: hook, slack: space, ntfy: topic, webhook: own } = channels
  if (name === 'telegram' && chat !== undefined) {
    const token = read(chat.token_file, /^(\d+:[\w-]+)$/, 'a bot token such as 123456:ABC...')
    return made(token, (text) => telegram(chat.base_url, text, chat.chat_id))
  }
  if (name === 'discord' && hook !== undefined) {
    const shape = /^(?:https:\/\/\S+\/)?(\d+\/[\w-]+)$/
    return made(read(hook.webhook_file, shape, 'the webhook’s address, or its ID/TOKEN'), (path) =>
      discord(hook.base_url, path),
    )
  }
  if (name === 'slack' && space !== undefined) {
    const shape = /^(?:https:\/\/\S+\/)?(\w+\/\w+\/\w+)$/
    return made(
      read(space.webhook_file, shape, 'the webhook’s address, or its T/B/X part'),
      (path) => slack(space.base_url, path),
    )
  }
  if (name === 'ntfy' && topic !== undefined) {
    if (topic.token_file === undefined) return ok(ntfy(topic.base_url, topic.topic, null))
    const token = read(topic.token_file, /^([\x21-\x7e]+)$/, 'an access token')
    return made(token, (text) => ntfy(topic.base_url, topic.topic, text))
  }
  if (name === 'webhook' && own !== undefined) {
    const shape = /^([\x21-\x7e]{16,})$/
    return made(read(own.secret_file, shape, 'a secret of at least 16 characters'), (secret) =>
      webhook(own.url, secret),
    )
  }
  return err(`alerts.${name}: is not set up`)
}

/** The levels of the policy in force, for all pages that show one. */
import type { LevelsView } from '../../server/counter/contract/levels.ts'
import type { Client } from './api/client.ts'
import { useResource } from './hooks.ts'
import { levelName } from './level-words.ts'
import { useClient } from './session.tsx'
import { useText } from './text.tsx'

const NONE: LevelsView = { policy: { id: '', version: '', title: '' }, levels: [] }
/** A policy rarely changes, and several parts of a page ask for it. */
const KNOWN_FOR_MS = 30_000

const asked = new WeakMap<Client, { readonly at: number; readonly answer: Promise<LevelsView> }>()

function askLevels(client: Client): Promise<LevelsView> {
  const before = asked.get(client)
  if (before && performance.now() - before.at < KNOWN_FOR_MS) return before.answer
  const answer = client.get<LevelsView>('levels')
  asked.set(client, { at: performance.now(), answer })
  answer.catch(() => asked.delete(client))
  return answer
}

/** Until the levels are loaded, or if they cannot be, pages show a level by its name. */
export function useLevels(): LevelsView {
  const client = useClient()
  return useResource<LevelsView>(() => askLevels(client), 'levels').data ?? NONE
}

/** Formats a level as its label with the name behind it. */
export function useLevelName(): (level: string) => string {
  const levels = useLevels()
  const texts = useText()
  return (level) => levelName(level, levels, texts)
}

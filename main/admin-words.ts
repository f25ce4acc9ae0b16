/** What staff's prompt and the shell say to each other. */
export const ADMIN_CHANNEL = 'counterproof-admin'

/** exit: the shell ends. restart: the server again. reload: the page again. info: what runs here. */
export const ADMIN_COMMANDS = ['reload', 'restart', 'info', 'exit'] as const
export type AdminCommand = (typeof ADMIN_COMMANDS)[number]

export interface AdminAnswer {
  readonly outcome: 'accepted' | 'refused' | 'locked' | 'none'
  /** What `info` tells. */
  readonly text: string | null
}

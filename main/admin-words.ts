/** The messages between the officers' prompt and the shell. */
export const ADMIN_CHANNEL = 'counterproof-admin'

/**
 * exit: ends the shell. restart: restarts the server. reload: reloads the page. info: shows what runs here.
 */
export const ADMIN_COMMANDS = ['reload', 'restart', 'info', 'exit'] as const
export type AdminCommand = (typeof ADMIN_COMMANDS)[number]

export interface AdminAnswer {
  readonly outcome: 'accepted' | 'refused' | 'locked' | 'none'
  /** The text of `info`. */
  readonly text: string | null
}

/** Says in words what the system refused, and what to do, for the person at the command line. */

export const ADVICE = {
  ENOENT: 'There is no such file or folder. Check the path, and whether its disk is mounted.',
  EACCES:
    'This user may not do that. Run the command as the user of the data, or change the owner or mode of the file.',
  EPERM:
    'This user may not do that. Run the command as the user of the data, or change the owner or mode of the file.',
  ENOTDIR: 'A part of the path is a file, not a folder. Check the path.',
  EISDIR: 'The path is a folder. Name a file.',
  ENOSPC: 'The disk is full. Free space on it, or take another one.',
  EDQUOT: 'The quota of this user is used up. Free space, or take another disk.',
  EROFS: 'The disk takes no writes. Mount it for writing, or take another one.',
  EIO: 'The disk has a fault. Take another one.',
} as const

/** Null: not an error of a call of the system. The message of the system names the call and the path. */
export function explainSystemError(error: unknown): string | null {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return null
  const advice = (ADVICE as Readonly<Record<string, string | undefined>>)[String(error.code)]
  return advice === undefined ? error.message : `${advice} (${error.message})`
}

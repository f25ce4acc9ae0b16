/** Returns the CPU time of this process in milliseconds, which is independent of other load. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/**
 * Runs the tests at the lowest priority. Vision workers are nicer than the server by ten, so beside the processes of three other tests
 * each would get a twentieth of a core and exceed its time limits. At the end of the scale all are equal.
 */
import { constants, setPriority } from 'node:os'

export default function setup(): void {
  setPriority(constants.priority.PRIORITY_LOW)
}

package dev.stagesim.sim.serving.cluster;

import dev.stagesim.sim.serving.cluster.SplitwiseTask.Request;
import dev.stagesim.sim.serving.cluster.SplitwiseTask.State;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntToDoubleFunction;

/**
 * An instance of Splitwise: whole prompts or as many equal steps of tokens as there can be at once.
 *
 * <p>Steps of tokens that run at once end early, at the end of a step, when a newcomer could join them.
 */
public final class SplitwiseInstance {
    /** What there can be of a batch; preemptions of less than 0 are never made, and tokens then have no limit. */
    record Limits(int batchSize, int batchTokens, int preemptions) {
        boolean preempts() {
            return preemptions >= 0;
        }
    }

    /** An instance's memory and weights in bytes, and step times in seconds by tokens of a batch. */
    public record Device(
            String name,
            long memory,
            long weights,
            IntToDoubleFunction promptSeconds,
            IntToDoubleFunction tokenSeconds) {}

    /** Told of what happens here. */
    interface Listener {
        void ended(SplitwiseTask task, double now);

        void isFree(SplitwiseInstance instance);

        void wake(SplitwiseInstance instance, double after, long turn);
    }

    private static final double MIXED_FACTOR = 1.1;
    private static final Comparator<SplitwiseTask> IN_LINE = Comparator.<SplitwiseTask>comparingInt(
                    task -> task.preemptions)
            .thenComparingDouble(task -> task.request.arrival);

    private final int number;
    private final Device device;
    private final Limits limits;
    private final Listener listener;
    private final List<SplitwiseTask> batch = new ArrayList<>();
    private final List<SplitwiseTask> line = new ArrayList<>();
    private final List<SplitwiseTask> prompts = new ArrayList<>();
    private final List<SplitwiseTask> blocked = new ArrayList<>();
    /** Tasks that are here by request, in order of the requests' arrival. */
    private final List<List<SplitwiseTask>> present = new ArrayList<>();

    private long used;
    private int batchTokens;
    private double stepSeconds;
    private double steps;
    private boolean isPaused;
    private double wakes;
    private long turn;
    private double busySince;
    private double busy;
    long reserved;
    long pendingTokens;

    SplitwiseInstance(int number, Device device, Limits limits, Listener listener) {
        this.number = number;
        this.device = device;
        this.limits = limits;
        this.listener = listener;
        used = device.weights();
        reserved = device.weights();
    }

    long memory() {
        return device.memory();
    }

    public int number() {
        return number;
    }

    public String device() {
        return device.name();
    }

    /** Seconds with a batch. */
    public double busy() {
        return busy;
    }

    int requests() {
        return present.size();
    }

    boolean hasLine() {
        return !line.isEmpty();
    }

    boolean hasRoom(long bytes) {
        return used + bytes <= device.memory();
    }

    void take(long bytes) {
        used += bytes;
    }

    void release(long bytes) {
        used -= bytes;
        reserved -= bytes;
    }

    void arrive(SplitwiseTask task, double now) {
        task.instance = this;
        task.arrived = now;
        enter(task);
        queue(task);
        if (batch.isEmpty()) {
            if (hasRoom(task.memory())) {
                start(now);
            }
            return;
        }
        boolean joins = batch.size() < limits.batchSize()
                && (!limits.preempts() || batchTokens + task.tokensOfStep() <= limits.batchTokens());
        if (joins || (limits.preempts() && task.isPrompt && fitsWithPrompts(task))) {
            pause(now);
        }
    }

    private boolean fitsWithPrompts(SplitwiseTask task) {
        int tokenTasks = (int) batch.stream().filter(other -> !other.isPrompt).count();
        return tokenTasks > 0 && batchTokens - tokenTasks + task.length <= limits.batchTokens();
    }

    /** A transfer from here has ended and its memory is free. */
    void transferEnded(double now) {
        if (line.isEmpty()) {
            return;
        }
        if (batch.isEmpty()) {
            if (hasRoom(line.get(0).memory())) {
                start(now);
            }
        } else if (batch.size() < limits.batchSize() && (!limits.preempts() || batchTokens < limits.batchTokens())) {
            pause(now);
        }
    }

    private void enter(SplitwiseTask task) {
        for (List<SplitwiseTask> tasks : present) {
            if (tasks.get(0).request == task.request) {
                tasks.add(task);
                return;
            }
        }
        int at = 0;
        while (at < present.size() && present.get(at).get(0).request.arrival <= task.request.arrival) {
            at++;
        }
        present.add(at, new ArrayList<>(List.of(task)));
    }

    /** Puts a task in line; by binary search, although those in line may have moved on since they came. */
    private void queue(SplitwiseTask task) {
        int low = limits.preempts() ? 0 : line.size();
        int high = line.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (IN_LINE.compare(task, line.get(middle)) < 0) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        line.add(low, task);
        if (task.isPrompt) {
            prompts.add(task);
        }
    }

    /** Ends steps that run at once with the one that runs now. */
    private void pause(double now) {
        if (isPaused || batch.stream().anyMatch(task -> task.isPrompt)) {
            return;
        }
        isPaused = true;
        double elapsed = now - (wakes - stepSeconds * steps);
        steps = floorDivide(elapsed, stepSeconds) + 1;
        batch.forEach(task -> task.generating = (int) steps);
        wake(now, stepSeconds * steps - elapsed);
    }

    /** Floor of a quotient as Python has it, for b > 0: from the exact remainder; a can be less than 0 by rounding. */
    private static double floorDivide(double a, double b) {
        double rest = a % b;
        double quotient = (a - rest) / b - (rest < 0 ? 1 : 0);
        double floor = Math.floor(quotient);
        return quotient - floor > 0.5 ? floor + 1 : floor;
    }

    private void wake(double now, double after) {
        wakes = now + after;
        listener.wake(this, after, ++turn);
    }

    boolean isDue(long its) {
        return its == turn;
    }

    /** The steps that ran at once have ended. */
    void ended(double now) {
        finish(now);
        start(now);
    }

    private void finish(double now) {
        List<SplitwiseTask> done = new ArrayList<>();
        for (SplitwiseTask task : batch) {
            task.generated += task.generating;
            if (task.left() == 0) {
                done.add(task);
            }
        }
        for (SplitwiseTask task : done) {
            leave(task, now);
        }
        isPaused = false;
    }

    private void leave(SplitwiseTask task, double now) {
        task.ended = now;
        pendingTokens -= task.tokensOfStep();
        if (!task.isPrompt) {
            release(task.request.memory);
            task.request.memory = 0;
        }
        removeFromBatch(task, now);
        present.removeIf(tasks -> tasks.remove(task) && tasks.isEmpty());
        listener.ended(task, now);
    }

    private void removeFromBatch(SplitwiseTask task, double now) {
        batch.remove(task);
        if (batch.isEmpty()) {
            busy += now - busySince;
        }
    }

    /** Starts steps; those of tasks that have nothing left to generate are over at once. */
    private void start(double now) {
        fill(now);
        while (!batch.isEmpty()) {
            run(now);
            if (stepSeconds * steps != 0) {
                wake(now, stepSeconds * steps);
                return;
            }
            finish(now);
            fill(now);
        }
        if (present.isEmpty()) {
            listener.isFree(this);
        }
    }

    private void fill(double now) {
        Set<SplitwiseTask> chosen = limits.preempts() ? chooseAnew() : chooseMore();
        for (SplitwiseTask task : List.copyOf(batch)) {
            if (!chosen.contains(task)) {
                task.state = State.BLOCKED;
                removeFromBatch(task, now);
                queue(task);
                blocked.add(task);
            }
        }
        for (SplitwiseTask task : chosen) {
            if (!batch.contains(task)) {
                join(task, now);
            }
        }
        for (List<SplitwiseTask> tasks : present) {
            if (!batch.contains(tasks.get(0))) {
                tasks.get(0).preemptions++;
            }
        }
    }

    private void join(SplitwiseTask task, double now) {
        line.remove(task);
        blocked.remove(task);
        prompts.remove(task);
        batch.add(task);
        if (batch.size() == 1) {
            busySince = now;
        }
    }

    private void run(double now) {
        int tokens = 0;
        int promptTasks = 0;
        int least = Integer.MAX_VALUE;
        for (SplitwiseTask task : batch) {
            tokens += task.tokensOfStep();
            promptTasks += task.isPrompt ? 1 : 0;
            least = Math.min(least, task.left());
        }
        stepSeconds = promptTasks == 0
                ? device.tokenSeconds().applyAsDouble(tokens)
                : device.promptSeconds().applyAsDouble(tokens) * (promptTasks < batch.size() ? MIXED_FACTOR : 1);
        int count = promptTasks > 0 ? 1 : least;
        steps = count;
        for (SplitwiseTask task : batch) {
            task.generating = count;
            if (task.state == State.QUEUED) {
                task.started = now;
                take(task.memory());
                task.request.memory += task.memory();
            }
            task.state = State.RUNNING;
        }
    }

    /** The batch and the first task of each other request, as long as there is memory. */
    private Set<SplitwiseTask> chooseMore() {
        Choice choice = new Choice();
        choice.tasks.addAll(batch);
        for (List<SplitwiseTask> tasks : present) {
            SplitwiseTask task = tasks.get(0);
            if (choice.tasks.size() == limits.batchSize() || (!batch.contains(task) && !choice.memoryFor(task))) {
                break;
            }
            choice.tasks.add(task);
        }
        return choice.tasks;
    }

    private Set<SplitwiseTask> chooseAnew() {
        Choice choice = new Choice();
        for (SplitwiseTask task : line) {
            if (task.preemptions < limits.preemptions() || choice.isFull(task)) {
                break;
            }
            if (choice.isNew(task) && choice.memoryFor(task)) {
                choice.add(task);
            }
        }
        choice.addAll(prompts, true);
        choice.addAll(blocked, false);
        choice.addAll(batch, false);
        for (List<SplitwiseTask> tasks : present) {
            if (choice.tasks.size() == limits.batchSize()) {
                break;
            }
            if (choice.isNew(tasks.get(0)) && !choice.addIfRoom(tasks.get(0))) {
                break;
            }
        }
        batchTokens = choice.tokens;
        return choice.tasks;
    }

    /** A batch that is put together: one task of a request, the first one whatever it has of tokens. */
    private final class Choice {
        private final Set<SplitwiseTask> tasks = new LinkedHashSet<>();
        private final Set<Request> requests = new LinkedHashSet<>();
        private int tokens;
        private long memory = used;

        boolean isNew(SplitwiseTask task) {
            return !requests.contains(task.request);
        }

        boolean isFull(SplitwiseTask task) {
            return tasks.size() == limits.batchSize()
                    || (!tasks.isEmpty() && tokens + task.tokensOfStep() > limits.batchTokens());
        }

        /** Whether a task's memory is there; it is taken if it is not yet its own. */
        boolean memoryFor(SplitwiseTask task) {
            if (task.state != State.QUEUED) {
                return true;
            }
            boolean fits = memory + task.memory() <= device.memory();
            memory += fits ? task.memory() : 0;
            return fits;
        }

        void add(SplitwiseTask task) {
            tasks.add(task);
            requests.add(task.request);
            tokens += task.tokensOfStep();
        }

        boolean addIfRoom(SplitwiseTask task) {
            if (isFull(task) || !memoryFor(task)) {
                return false;
            }
            add(task);
            return true;
        }

        void addAll(List<SplitwiseTask> more, boolean asksMemory) {
            for (SplitwiseTask task : more) {
                if (isFull(task)) {
                    return;
                }
                if (!isNew(task)) {
                    continue;
                }
                if (asksMemory && !memoryFor(task)) {
                    return;
                }
                add(task);
            }
        }
    }
}

package dev.stagesim.sim.serving;

import dev.stagesim.sim.serving.replica.OutOfBlocksException;
import dev.stagesim.sim.serving.spec.MemoryPlan;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;

/** A replica of the {@link PlainSimulator} under any of the schedulers. */
final class PlainReplica {
    final Deque<PlainRequest> waiting = new ArrayDeque<>();
    int outstanding;
    int inFlight;
    long allocated;
    private final ServingSpec spec;
    private final MemoryPlan plan;
    private final SchedulerSpec.Limits limits;
    private final List<String> log;
    private final List<PlainRequest> running = new ArrayList<>();
    private final Deque<PlainBatch> unfinished = new ArrayDeque<>();
    private int admitted;
    private int waitedIters;
    private PlainBatch batch = new PlainBatch(0, 0);

    PlainReplica(ServingSpec spec, MemoryPlan plan, List<String> log) {
        this.spec = spec;
        this.plan = plan;
        this.limits = spec.scheduler().limits();
        this.log = log;
    }

    void form(PlainBatch empty) {
        batch = empty;
        SchedulerSpec scheduler = spec.scheduler();
        if (scheduler instanceof SchedulerSpec.Vllm vllm) {
            vllm(vllm);
        } else if (scheduler instanceof SchedulerSpec.Sarathi sarathi) {
            sarathi(sarathi.chunkSize());
        } else if (scheduler instanceof SchedulerSpec.Orca) {
            while (!running.isEmpty() && batch.size() < plan.effectiveMaxBatch()) {
                batch.add(running.remove(0), 1);
            }
            admitSequences();
        } else if (scheduler instanceof SchedulerSpec.LightLlm light) {
            lightLlm(light);
        } else if (unfinished.isEmpty()) {
            admitSequences();
        } else {
            unfinished.removeFirst().requests.stream().filter(r -> !r.completed).forEach(r -> batch.add(r, 1));
        }
    }

    /** Removes a cancelled request. Returns false if it leaves with its batch, or only after it is complete. */
    boolean withdraw(PlainRequest request) {
        boolean together = spec.scheduler() instanceof SchedulerSpec.FasterTransformer;
        if (waiting.remove(request)) {
            outstanding--;
        } else if (!together && running.remove(request)) {
            outstanding--;
            free(request);
        } else {
            request.withdrawn = !together;
            return false;
        }
        request.withdrawn = true;
        return true;
    }

    /** Requeues the requests of a batch. Returns the cancelled ones, which leave. */
    List<PlainRequest> requeue(PlainBatch ended) {
        List<PlainRequest> left = new ArrayList<>();
        boolean together = spec.scheduler() instanceof SchedulerSpec.FasterTransformer;
        boolean leaks = together && spec.quirks();
        boolean allDone = ended.requests.stream().allMatch(r -> r.completed);
        for (PlainRequest request : ended.requests) {
            if (request.completed) {
                outstanding--;
                if (!leaks || allDone) {
                    free(request);
                }
            } else if (request.withdrawn) {
                outstanding--;
                free(request);
                left.add(request);
            } else if (!together) {
                running.add(request);
            }
        }
        if (together && !allDone) {
            unfinished.addLast(ended);
        }
        return left;
    }

    private long free() {
        return plan.numBlocks() - allocated;
    }

    private void free(PlainRequest request) {
        allocated -= request.blocks;
        admitted--;
    }

    private long blocksOf(int tokens) {
        return ((long) tokens + limits.blockSize() - 1) / limits.blockSize();
    }

    private void admit(PlainRequest request, long blocks, int tokens) {
        waiting.removeFirst();
        request.blocks = (int) blocks;
        allocated += blocks;
        admitted++;
        if (request.restarts == 0 && !request.scheduled) {
            request.scheduledAt = batch.formedAt;
        }
        request.scheduled = true;
        batch.add(request, tokens);
    }

    private void restart(PlainRequest request) {
        request.restart(spec.quirks());
        free(request);
        waiting.addFirst(request);
        log.add("restart " + request.id);
    }

    private boolean fits(PlainRequest request) {
        return free() - blocksOf(request.prefill) >= plan.watermarkBlocks();
    }

    private boolean mayAdmit() {
        return !waiting.isEmpty() && admitted != limits.batchSizeCap() && batch.size() != plan.microBatch();
    }

    private void admitSequences() {
        while (!waiting.isEmpty() && batch.size() < plan.effectiveMaxBatch() && free() >= plan.blocksPerSequence()) {
            admit(waiting.getFirst(), plan.blocksPerSequence(), waiting.getFirst().prefill);
        }
    }

    private void decode(PlainRequest request) {
        boolean full = request.processed > request.blocks * limits.blockSize();
        while ((full || spec.quirks()) && free() < 1) {
            if (running.isEmpty()) {
                restart(request);
                return;
            }
            restart(running.remove(running.size() - 1));
        }
        if (full) {
            request.blocks++;
            allocated++;
        }
        batch.add(request, 1);
    }

    private void vllm(SchedulerSpec.Vllm vllm) {
        int longest = 0;
        while (mayAdmit() && fits(waiting.getFirst())) {
            PlainRequest request = waiting.getFirst();
            longest = Math.max(longest, request.prefill);
            if ((batch.size() + 1) * longest > vllm.maxTokensInBatch()) {
                break;
            }
            admit(request, blocksOf(request.prefill), request.prefill);
        }
        if (batch.size() == 0) {
            running.sort(Comparator.comparingDouble(r -> r.arrived));
            while (!running.isEmpty() && batch.size() != plan.microBatch()) {
                decode(running.remove(0));
            }
        }
    }

    private void sarathi(int budget) {
        List<PlainRequest> prefills = new ArrayList<>();
        while (!running.isEmpty() && batch.size() != plan.microBatch()) {
            PlainRequest request = running.remove(0);
            if (request.prefillDone) {
                decode(request);
            } else {
                prefills.add(request);
            }
        }
        List<PlainRequest> left = new ArrayList<>();
        for (PlainRequest request : prefills) {
            int chunk = chunk(request, budget);
            if (chunk > 0) {
                batch.add(request, chunk);
            } else {
                left.add(request);
            }
        }
        running.addAll(0, left);
        running.sort(Comparator.comparingDouble(r -> r.arrived));
        while (mayAdmit() && fits(waiting.getFirst()) && chunk(waiting.getFirst(), budget) > 0) {
            PlainRequest request = waiting.getFirst();
            admit(request, blocksOf(request.prefill), chunk(request, budget));
        }
    }

    private int chunk(PlainRequest request, int budget) {
        return Math.max(0, Math.min(request.prefill - request.processed, budget - batch.totalTokens()));
    }

    private void lightLlm(SchedulerSpec.LightLlm light) {
        if (running.isEmpty()) {
            admitByForecast(light);
            waitedIters = batch.size() > 0 ? 0 : waitedIters;
            return;
        }
        if (waitedIters >= light.maxWaitingIters()) {
            waitedIters = 0;
            admitByForecast(light);
            if (batch.size() > 0) {
                return;
            }
        }
        if (free() < running.size()) {
            throw new OutOfBlocksException("full");
        }
        waitedIters++;
        while (!running.isEmpty()) {
            PlainRequest request = running.remove(0);
            request.blocks++;
            allocated++;
            batch.add(request, 1);
        }
    }

    private void admitByForecast(SchedulerSpec.LightLlm light) {
        List<PlainRequest> inMemory = new ArrayList<>(running);
        while (mayAdmit()) {
            PlainRequest request = waiting.getFirst();
            inMemory.add(request);
            if (batch.totalTokens() + request.prefill > light.maxTokensInBatch()
                    || peak(inMemory) >= plan.numBlocks()) {
                return;
            }
            admit(request, request.prefill, request.prefill);
        }
    }

    private long peak(List<PlainRequest> inMemory) {
        List<long[]> forecast = new ArrayList<>();
        for (PlainRequest request : inMemory) {
            boolean known = request.scheduled && !batch.requests.contains(request);
            int made = Math.max(request.processed - request.prefill, 0);
            forecast.add(
                    known
                            ? new long[] {request.processed, Math.max(0, request.decode - made - 1)}
                            : new long[] {request.prefill + 1, Math.max(0, request.decode - 2)});
        }
        forecast.sort((a, b) -> Long.compare(b[1], a[1]));
        long max = 0;
        long sum = 0;
        for (int i = 0; i < forecast.size(); i++) {
            sum += forecast.get(i)[0];
            max = Math.max(max, forecast.get(i)[1] * (i + 1) + sum);
        }
        return max;
    }
}

package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.serving.settings.SchedulePolicy;
import dev.stagesim.sim.serving.settings.SglangSettings;
import java.util.ArrayList;
import java.util.List;

/**
 * A second, simple implementation of the scheduler of SGLang 0.5 without a cache. It recomputes the used memory for every
 * decision.
 */
final class PlainSglang {
    static final class Plain {
        final int id;
        final int prompt;
        final int output;
        final int maxOutput;
        int made;
        int slots;
        boolean done;
        boolean retracted;

        Plain(int id, int prompt, int output, int maxOutput) {
            this.id = id;
            this.prompt = prompt;
            this.output = output;
            this.maxOutput = maxOutput;
        }

        int length() {
            return prompt + made;
        }
    }

    /** A request's share of a step. */
    record Part(Plain member, int tokens, int before, boolean isPrompt, boolean isLast) {}

    final List<Plain> waiting = new ArrayList<>();
    final List<Plain> all = new ArrayList<>();
    final List<List<Part>> flying = new ArrayList<>();
    final List<Plain> lost = new ArrayList<>();
    double ratio;
    private final SglangSettings rules;
    private final int total;
    private final int maxRequests;
    private List<Plain> running = new ArrayList<>();
    private List<Part> last = List.of();
    private Plain cut;
    private boolean full;

    PlainSglang(SglangSettings rules, int total, int maxRequests) {
        this.rules = rules;
        this.total = total;
        this.maxRequests = maxRequests;
        ratio = Math.min(0.7 * rules.conservativeness(), 1);
    }

    void add(int id, int prompt, int output) {
        int page = rules.pageSize();
        int maxOutput =
                Math.max(output, Math.min(rules.maxNewTokens(), total / page * page - pages(prompt) * page - page - 1));
        Plain request = new Plain(id, prompt, output, maxOutput);
        waiting.add(request);
        all.add(request);
    }

    private int pages(int tokens) {
        return (tokens + rules.pageSize() - 1) / rules.pageSize();
    }

    private int free() {
        int page = rules.pageSize();
        int used = 0;
        for (Plain request : all) {
            used += pages(request.slots);
        }
        return (total / page - used) * page;
    }

    List<Part> plan() {
        lost.clear();
        if (!last.isEmpty() && last.get(0).isPrompt()) {
            for (Part part : last) {
                if (part.member().done || part.member() == cut) {
                    full = false;
                } else {
                    running.add(part.member());
                }
            }
        }
        List<Part> step = prompts();
        if (step.isEmpty()) {
            step = decodes();
        }
        if (step.isEmpty() && flying.isEmpty()) {
            ratio = Math.min(0.7 * rules.conservativeness(), 1);
        }
        last = step;
        if (!step.isEmpty()) {
            flying.add(step);
        }
        return step;
    }

    private List<Part> prompts() {
        List<Part> step = new ArrayList<>();
        int places = maxRequests - running.size();
        if (cut == null && (full || waiting.isEmpty() || places <= 0)) {
            full |= !waiting.isEmpty() && places <= 0;
            return step;
        }
        if (rules.order() == SchedulePolicy.LOF) {
            waiting.sort((a, b) -> b.maxOutput - a.maxOutput);
        }
        int page = rules.pageSize();
        int mixed = rules.mixedChunk() ? running.size() : 0;
        double kept = mixed;
        for (Plain request : running) {
            kept += Math.min(request.maxOutput - request.made, 4096) * ratio;
        }
        int taken = mixed;
        int chunk = rules.chunkedPrefillSize() > 0 ? rules.chunkedPrefillSize() - mixed : Integer.MAX_VALUE;
        int input = rules.maxPrefillTokens() - mixed;
        if (cut != null) {
            int room = (int) Math.min(chunk, free() - kept);
            int tokens = Math.min(cut.length() - cut.slots, room > 0 ? room : chunk);
            tokens = Math.min(tokens, free() - taken - page);
            if (tokens > 0) {
                boolean ends = cut.slots + tokens == cut.length();
                step.add(new Part(cut, tokens, cut.slots, true, ends));
                kept += pages(tokens) * page + page + (ends ? Math.min(cut.maxOutput, 4096) : 0);
                taken += pages(tokens) * page + page;
                chunk -= pages(tokens) * page;
                input -= pages(tokens) * page;
                cut = ends ? null : cut;
            }
        }
        while (!waiting.isEmpty()) {
            if (step.size() >= places) {
                full = true;
                break;
            }
            Plain next = waiting.get(0);
            int tokens = next.length();
            int paged = pages(tokens) * page;
            if (tokens + Math.min(next.maxOutput - next.made, 4096) + page >= free() - kept) {
                full = true;
                break;
            }
            boolean cuts = rules.chunkedPrefillSize() > 0;
            if (!cuts && !step.isEmpty() && paged >= input) {
                break;
            }
            if (cuts && paged > chunk) {
                tokens = chunk / page * page;
                if (tokens <= 0) {
                    break;
                }
            }
            waiting.remove(0);
            next.retracted = false;
            boolean ends = tokens == next.length();
            step.add(new Part(next, tokens, 0, true, ends));
            cut = ends ? cut : next;
            kept += pages(tokens) * page + page + (ends ? Math.min(next.maxOutput, 4096) : 0);
            taken += pages(tokens) * page + page;
            chunk -= pages(tokens) * page;
            input -= pages(tokens) * page;
            if (free() - kept <= 0 || free() - taken <= 0) {
                full = true;
                break;
            }
            if (input <= 0 || (cuts && chunk <= 0)) {
                break;
            }
        }
        for (Part part : step) {
            part.member().slots = part.before() + part.tokens();
        }
        if (!step.isEmpty() && rules.mixedChunk()) {
            running.removeIf(request -> request.done);
            if (need(running) <= free()) {
                grow(step);
                running = new ArrayList<>();
            }
        }
        return step;
    }

    private int need(List<Plain> requests) {
        return (int) requests.stream()
                        .filter(request -> request.slots % rules.pageSize() == 0)
                        .count()
                * rules.pageSize();
    }

    private void grow(List<Part> step) {
        for (Plain request : running) {
            step.add(new Part(request, 1, request.slots++, false, true));
        }
    }

    private List<Part> decodes() {
        int before = running.size();
        running.removeIf(request -> request.done);
        List<Part> step = new ArrayList<>();
        if (running.isEmpty()) {
            full = false;
            return step;
        }
        if (need(running) <= free()) {
            double first = Math.min(0.7 * rules.conservativeness(), 1);
            double min = Math.min(first * 0.14, 1);
            ratio = Math.max(ratio - (first - min) / 600, min);
        } else {
            running.sort((a, b) -> a.made != b.made ? b.made - a.made : a.prompt - b.prompt);
            do {
                Plain victim = running.remove(running.size() - 1);
                victim.slots = 0;
                victim.retracted = true;
                waiting.add(victim);
                lost.add(victim);
            } while (need(running) > free());
            int made = running.stream().mapToInt(request -> request.made + 20).sum();
            int maxOutput =
                    running.stream().mapToInt(request -> request.maxOutput).sum();
            ratio = Math.min(1, (double) made / (maxOutput + 1));
        }
        if (running.size() < before) {
            full = false;
        }
        grow(step);
        return step;
    }

    void process() {
        for (Part part : flying.remove(0)) {
            Plain member = part.member();
            if (!member.done && !member.retracted && part.isLast()) {
                member.made++;
                if (member.made == member.output) {
                    member.done = true;
                    member.slots = 0;
                }
            }
        }
    }
}

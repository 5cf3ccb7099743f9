#include <respkit/bench/micro/suite.hpp>

int main(int argc, char** argv) {
    using namespace respkit::micro;
    suite s;
    add_overhead(s);
    add_lists(s);
    add_sets(s);
    add_hashes(s);
    add_sorted_sets(s);
    add_streams(s);
    add_keyspaces(s);
    add_commands(s);

    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
}

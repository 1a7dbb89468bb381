// The text itself and its keys. Every refusal with its exact words and place.
#include <gtest/gtest.h>

#include "common/spec/job_reader.h"
#include "tests/unit/common/spec/bad_job.h"
#include "tests/unit/common/spec/sample_job.h"

namespace burnish::spec {
namespace {

class BadJobTextTest : public testing::TestWithParam<BadJob> {};

TEST_P(BadJobTextTest, IsRefused) {
  const BadJob& job = GetParam();
  ExpectRefusal(ReadJob(SampleJob(job.text), SourceCheck::kRequired).status(), job);
}

const BadJob kBadJobs[] = {
    {"NotYaml", "name: [a\nkernel: }\n",
     "job.yaml:2:7: not YAML or JSON: end of sequence flow not found", ""},
    {"Empty", "", "job.yaml: the file is empty", ""},
    {"OnlyComments", "# nothing\n", "job.yaml: the file is empty", ""},
    {"Null", "~\n", "job.yaml:1:1: must be a mapping, not nothing",
     "a job file starts with `name:` and `kernel:` or `workload:`"},
    {"AList", "- name: a\n", "job.yaml:1:1: must be a mapping, not a list",
     "a job file starts with `name:` and `kernel:` or `workload:`"},
    {"TwoDocuments", "name: a\n---\nname: b\n", "job.yaml:2:1: a second document starts here",
     "one job per file"},
    {"UnknownKey", SampleWith("measure: {", "mesure: {"),
     "job.yaml:27:1: mesure: unknown key 'mesure'", "did you mean 'measure'?"},
    {"KernelKeyOutside",
     SampleWith("name: vector-add\n", "name: vector-add\nparameters: {BLOCK: [1]}\n"),
     "job.yaml:2:1: parameters: unknown key 'parameters'", "it stands under `kernel:`"},
    {"DuplicateKey",
     SampleWith("budget: {trials: 50, seconds: 600}", "budget: {trials: 50}\nbudget: {trials: 60}"),
     "job.yaml:29:1: budget: duplicate key 'budget'", "it stands already at line 28"},
    {"DuplicateParameter", SampleWith("    OPT: [2, 3]", "    OPT: [2, 3]\n    BLOCK: [1]"),
     "job.yaml:17:5: kernel.parameters.BLOCK: duplicate key 'BLOCK'",
     "it stands already at line 15"},
    {"DuplicateConstant",
     SampleWith("{n: 4096, pair: 2, scale: 1.5}", "{n: 4096, pair: 2, n: 1.5}"),
     "job.yaml:11:33: kernel.constants.n: duplicate key 'n'", "it stands already at line 11"},
    {"Alias", SampleWith("  default: {BLOCK: 64", "  default: {BLOCK: *b"),
     "job.yaml:22:20: aliases (*name) are not accepted",
     "repeat the value; put an expression that starts with * in quotes"},
    {"Anchor", SampleWith("BLOCK: [32", "BLOCK: [&b 32"),
     "job.yaml:15:13: kernel.parameters.BLOCK[0]: anchors (&name) are not accepted",
     "write the value without its anchor; put an expression that starts with & in quotes"},
    {"Tag", SampleWith("entry: add\n", "entry: !!str add\n"),
     "job.yaml:5:10: kernel.entry: tags (!name) are not accepted",
     "write the value without its tag; put an expression that starts with ! in quotes"},
    {"MissingValue", SampleWith("  entry: add\n", "  entry:\n"),
     "job.yaml:5:3: kernel.entry: must be a string, not nothing", ""},
    {"MissingName", SampleWith("name: vector-add\n", ""), "job.yaml:1:1: the key 'name' is missing",
     ""},
    {"MissingKernel", "name: a\n", "job.yaml:1:1: the key 'kernel' or 'workload' is missing",
     "`kernel:` is code of your own, `workload:` an operator such as matmul"},
    {"MissingEntry", SampleWith("  entry: add\n", ""),
     "job.yaml:2:1: kernel: the key 'entry' is missing", ""},
    {"MissingArguments",
     "name: a\nkernel: {language: cpp, source: {file: add.cc}, entry: f, parameters: {P: [1]}}\n",
     "job.yaml:2:1: kernel: the key 'arguments' is missing", ""},
    {"MissingParameters", "name: a\nkernel: {language: cpp, source: {file: add.cc}, entry: f}\n",
     "job.yaml:2:1: kernel: the key 'parameters' is missing", ""},
    {"WrongTypeOfName", SampleWith("name: vector-add", "name: 12"),
     "job.yaml:1:7: name: must be a string, not the integer 12", "put it in quotes"},
    {"WrongTypeOfKernel", "name: a\nkernel: add.cc\n",
     "job.yaml:2:9: kernel: must be a mapping, not the string 'add.cc'", ""},
    {"WrongTypeOfParameters", SampleWith("  define: [pair]", "  define: pair"),
     "job.yaml:12:11: kernel.define: must be a list, not the string 'pair'", ""},
    {"LeadingZeros", SampleWith("BLOCK: [32", "BLOCK: [010"),
     "job.yaml:15:13: kernel.parameters.BLOCK[0]: the number '010' has leading zeros",
     "write it without them; strings in quotes"},
    {"Hexadecimal", SampleWith("BLOCK: [32", "BLOCK: [0x20"),
     "job.yaml:15:13: kernel.parameters.BLOCK[0]: '0x20' is not a decimal number",
     "write numbers in decimal, strings in quotes"},
    {"NanConstant", SampleWith("scale: 1.5", "scale: .nan"),
     "job.yaml:11:40: kernel.constants.scale: '.nan' is not a finite number",
     "put it in quotes if it is meant as a string"},
    {"PythonNanConstant", SampleWith("scale: 1.5", "scale: NaN"),
     "job.yaml:11:40: kernel.constants.scale: 'NaN' is not a finite number",
     "put it in quotes if it is meant as a string"},
    {"InfiniteConstant", SampleWith("scale: 1.5", "scale: -.inf"),
     "job.yaml:11:40: kernel.constants.scale: '-.inf' is not a finite number",
     "put it in quotes if it is meant as a string"},
    {"HugeReal", SampleWith("scale: 1.5", "scale: 1e999"),
     "job.yaml:11:40: kernel.constants.scale: the number 1e999 is out of range", ""},
    {"HugeInteger", SampleWith("scale: 1.5", "scale: 9223372036854775808"),
     "job.yaml:11:40: kernel.constants.scale: the integer 9223372036854775808 does not fit 64 bits",
     ""},
    {"TooLongKey", "? " + std::string(200, 'k') + "\n: 1\n",
     "job.yaml:1:3: a key is longer than 128 bytes", ""},
    {"KeyOfSeveralLines", "\"a\\nb\": 1\n",
     "job.yaml:1:1: a key must be a single line without control characters", ""},
    {"ListAsKey", "? [a]\n: 1\n", "job.yaml:1:3: a key must be a name", ""},
    {"TooDeep", std::string(40, '[') + std::string(40, ']'),
     "job.yaml:1:33: "
     "[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]"
     "[0]: nested more than 32 levels deep",
     ""},
    {"T1File", "{\"ConfigurationSpace\": {}}",
     "job.yaml:1:2: ConfigurationSpace: the key 'TuningParameters' is missing", ""},
};

INSTANTIATE_TEST_SUITE_P(Table, BadJobTextTest, testing::ValuesIn(kBadJobs), NameOfBadJob);

}  // namespace
}  // namespace burnish::spec
